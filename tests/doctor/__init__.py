"""The doctor on programs of all kinds: what it says of them, on the page and on the terminal."""
