"""What the app teaches, and how it is computed. Nothing here knows of Streamlit.

ARCHITECTURE.md lists the rooms, each of which imports only from those above it.
"""
