"""What runs beside the pages in the same process and on the same port, without Streamlit's script
runs: routes of our own, and middleware around everything that is answered.
"""
