"""What the app teaches, and how it is computed. Nothing here knows of streamlit."""
