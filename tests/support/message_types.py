"""Writes what crosses the wire as TypeScript, from its description in Python.

`python -m tests.support.message_types` writes messages.d.ts next to the modules of the lab, which
import their types from it. git ignores the file; `make lint` writes it first.
"""

from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pages.labs.messages import Aside, FrameMessage, PictureMessage, TrainingWish, Wish

TARGET = Path(__file__).parents[2] / "pages" / "ui" / "live" / "messages.d.ts"
HEAD = """\
// What crosses the wire between a lab and the server. Made from pages/labs/messages.py, which says
// what it means.

"""
# What Plotly takes is described where Plotly is.
KNOWN = {"Chart": 'import type { Chart } from "./plotly.d.ts";\n\n'}
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}


def written() -> str:
    """The whole file."""
    found: dict[str, Any] = {}
    for one in (Wish, TrainingWish, FrameMessage, PictureMessage, Aside):
        schema = TypeAdapter(one).json_schema(mode="serialization")
        found |= schema.pop("$defs", {}) | {schema["title"]: schema}
    named = {name: schema for name, schema in found.items() if name not in KNOWN}
    interfaces = "\n".join(interface(name, schema) for name, schema in sorted(named.items()))
    return HEAD + "".join(line for name, line in KNOWN.items() if name in found) + interfaces


def interface(name: str, schema: dict[str, Any]) -> str:
    """One message or part of one."""
    needed = schema.get("required", [])
    fields = (
        f"  {field}{'' if field in needed else '?'}: {typed(part)};\n"
        for field, part in schema["properties"].items()
    )
    return f"export interface {name} {{\n{''.join(fields)}}}\n"


def typed(schema: dict[str, Any]) -> str:
    """A JSON schema as a type."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " | ".join(typed(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f'"{one}"' for one in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    kind = schema.get("type")
    if "prefixItems" in schema:
        return f"[{', '.join(typed(one) for one in schema['prefixItems'])}]"
    if kind == "array":
        inner = typed(schema.get("items", {}))
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {typed(values) if isinstance(values, dict) else 'any'}>"
    return "null" if kind == "null" else PLAIN.get(kind or "", "any")


if __name__ == "__main__":
    TARGET.write_text(written(), encoding="utf-8")
