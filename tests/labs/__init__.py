"""What a lab shows, without a browser and without Streamlit."""
