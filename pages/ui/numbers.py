"""Facts in a lesson's text, numbers most of them, that follow the lab and leave the page be.

Each stands in a mark of its own. With every frame goes what the marks say at that moment, and the
lab in the browser puts it there. The text is no live region: nothing is read aloud.
"""

import html


def mark(name: str, shown: str) -> str:
    """A fact in the text, marked."""
    text = html.escape(shown, quote=False)
    return f'<span class="gt-number" data-number="{html.escape(name)}">{text}</span>'
