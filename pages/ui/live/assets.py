"""Where the browser gets the live lab from: the modules here and Plotly's own script, copied
into the folder that Streamlit serves. Each lands in a folder named by what it holds, so a
browser may cache it for good and a new version never mixes with an old one.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

_HERE = Path(__file__).parent
_MODULES = sorted(_HERE.glob("*.js"))
_PLOTLY_FOLDER = f"plotly-{importlib.metadata.version('plotly')}"

LONG_AGO = 946_684_800
"""When a placed file says it was last changed: at the start of the year 2000.

Streamlit does not tell browsers how long to keep a file. Not told, they keep it for a tenth of
its age without asking again (RFC 9111, 4.2.2), and what they keep they keep compiled.
"""

_STYLES = ("lab.css", "graph.css", "trainer.css")

STYLE = "\n".join((_HERE / name).read_text("utf-8") for name in _STYLES)


def _fingerprint() -> str:
    digest = hashlib.blake2b(_PLOTLY_FOLDER.encode(), digest_size=8)
    for module in _MODULES:
        digest.update(module.name.encode() + b"\0" + module.read_bytes() + b"\0")
    return digest.hexdigest()


LIVE_FOLDER = f"live-{_fingerprint()}"


def prepare(static_dir: Path) -> None:
    """Put the lab's scripts under ``static_dir``. Does nothing the second time.

    Several servers, or several threads of one, may do this at once: every file is written
    beside its place and renamed into it, so no reader ever meets half a file.
    """
    for module in _MODULES:
        place(module, static_dir / LIVE_FOLDER / module.name)
    # The one number the modules need from Python: which Plotly this is.
    address = f'export const PLOTLY = "../{_PLOTLY_FOLDER}/plotly.min.js";\n'
    place(address.encode(), static_dir / LIVE_FOLDER / "plotly_address.js")
    place(_plotly_script(), static_dir / _PLOTLY_FOLDER / "plotly.min.js")


def _plotly_script() -> Path:
    # Found, not imported: importing plotly takes a second and changes its default template.
    spec = importlib.util.find_spec("plotly")
    if spec is None or spec.origin is None:
        raise RuntimeError("plotly is not installed, and the charts are drawn with its script")
    return Path(spec.origin).parent / "package_data" / "plotly.min.js"


def place(source: Path | bytes, target: Path) -> None:
    """A real copy of ``source`` at ``target``: static serving refuses links."""
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    if target.is_file() and target.stat().st_size == size:
        return  # the folder's name says what is in it, so the same size is the same file
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            if isinstance(source, bytes):
                out.write(source)
            else:
                with source.open("rb") as script:
                    shutil.copyfileobj(script, out)
        part.chmod(0o644)
        os.utime(part, (LONG_AGO, LONG_AGO))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
