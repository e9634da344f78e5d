"""Where the app lies: below Streamlit's server.baseUrlPath, perhaps below another server's too."""

from starlette.types import Scope

SERVER_IS_HERE = "window.__streamlit = { BACKEND_BASE_URL: new URL('.', document.baseURI).href };"
"""A script for every page. All of them lie side by side, so the folder of each is the app's root;
without it Streamlit's browser side looks for its server below the page first, and waits a tenth of
a second once it was told that there is none.
"""


def root(base: str) -> str:
    """The address of the app, with a slash at both ends; ``base`` is server.baseUrlPath."""
    return f"/{base.strip('/')}/".replace("//", "/")


def path_of(scope: Scope) -> str:
    """The path that is asked for, without what the app is mounted below."""
    return str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
