"""What pages share in Streamlit: the lesson view, questions, the live lab, place, memory, style."""
