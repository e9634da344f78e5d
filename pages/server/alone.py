"""A page that stands alone, for where none of ours can be shown: no script, no file, one link."""

import html

from starlette.responses import HTMLResponse, Response

from lessons.contract.roles import INKS


def _ink(name: str) -> str:
    return "light-dark({},{})".format(*INKS[name])


# The fonts are the system's: Streamlit's lie in files of its own.
_STYLE = f"""
:root {{ color-scheme: light dark; background: {_ink("paper")}; color: {_ink("text")}; }}
body {{ margin: 12vh auto; max-width: 38rem; padding: 0 1.5rem; font: 1rem/1.6 sans-serif; }}
h1 {{ font: 600 1.9rem/1.2 serif; }}
code {{ background: {_ink("panel")}; padding: 0.1em 0.3em; overflow-wrap: anywhere; }}
a {{ color: inherit; }}
"""


def page(status: int, title: str, said: str, home: str = "") -> Response:
    """The page as an answer.

    Args:
        status: as HTTP has it.
        title: plain text.
        said: HTML, with all that came from outside escaped.
        home: the address that the link leads to; none where it is empty.
    """
    link = f'<p><a href="{html.escape(home)}">Home: Gradient Tricks Lab</a></p>' if home else ""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        '<link rel="icon" href="data:,">'  # none is asked for
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{html.escape(title)}</h1>{said}{link}</main></body></html>",
        status,
        {"Cache-Control": "no-store"},
    )
