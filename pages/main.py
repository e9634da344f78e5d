"""The script behind every page: navigation, and what the browser is to remember."""

# Streamlit runs this as __main__. A worker process that starts later imports the main script again,
# under another name, and has no pages to draw.
if __name__ == "__main__":
    from pages.ui.memory import keep
    from pages.ui.site import navigation

    navigation().run()
    keep()
