"""Joins the browser's modules into one script: a first visit makes one request, not sixty.

It understands only the imports and exports that our modules use: named ones, the imports in a
module's first lines, without cycles. A bundler would need node on the learner's machine.
"""

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\.{1,2}/(?:\w+/)*(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)


def bundle(modules: Mapping[str, str], first: str) -> str:
    """Join modules into one, each wrapped in its own function.

    Args:
        modules: their text by name, without ``.js``.
        first: the module that runs before the others, with what it imports.

    Returns:
        a module that exports ``modules``, the exports of each by its name.

    Raises:
        KeyError: a module imports a module that is missing.
        RecursionError: modules import each other in a circle.
    """
    done: dict[str, str] = {}

    def put(name: str) -> None:
        if name in done:
            return
        text = modules[name]
        for _, other in _IMPORT.findall(text):
            put(other)
        body = _IMPORT.sub(_take, text)
        names = ", ".join(_EXPORT.findall(body))
        body = _EXPORT.sub("", body)
        done[name] = f"modules.{name} = (() => {{\n{body}\nreturn {{ {names} }};\n}})();\n"

    for name in (first, *modules):
        put(name)
    return "export const modules = {};\n" + "".join(done.values())


def _take(match: re.Match[str]) -> str:
    names, other = match.groups()
    return f"const {{{names.replace(' as ', ': ')}}} = modules.{other};\n" if names else ""
