"""Where the app is: under Streamlit's server.baseUrlPath, perhaps mounted in another app too."""

from starlette.types import Scope


def root(base: str) -> str:
    """The address of the app, with a slash at both ends; ``base`` is server.baseUrlPath."""
    return f"/{base.strip('/')}/".replace("//", "/")


def path_of(scope: Scope) -> str:
    """The requested path, without the path that the app is mounted under."""
    return str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
