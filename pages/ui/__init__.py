"""What the pages share: the lesson view, the live lab, the address, memory and style."""
