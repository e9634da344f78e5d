"""Where the app lies: below Streamlit's server.baseUrlPath, perhaps below another server's too."""

from starlette.types import Scope


def root(base: str) -> str:
    """The address of the app, with a slash at both ends; ``base`` is server.baseUrlPath."""
    return f"/{base.strip('/')}/".replace("//", "/")


def path_of(scope: Scope) -> str:
    """The path that is asked for, without what the app is mounted below."""
    return str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
