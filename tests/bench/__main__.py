"""`python -m tests.bench [NAME …] [--write]`: run the benchmarks named, or all.

A benchmark is a module here whose main() returns its report as Markdown; what it has to say while
it runs goes to stderr. With --write its report also replaces the one in RESULTS.md.
"""

import argparse
import importlib
import re
from pathlib import Path

BENCHMARKS = ("browser", "visit", "load")
ALONE = ("abuse",)  # half an hour: only where it is named
RESULTS = Path(__file__).with_name("RESULTS.md")


def store(name: str, tables: str) -> None:
    """Replace one benchmark's part of RESULTS.md, which stands between two comments."""
    text = RESULTS.read_text(encoding="utf-8")
    part = f"<!-- {name} -->\n{tables.strip()}\n<!-- end of {name} -->"
    pattern = re.compile(f"<!-- {name} -->\n.*?<!-- end of {name} -->", re.DOTALL)
    text, found = pattern.subn(lambda _: part, text)
    if not found:
        text = f"{text.rstrip()}\n\n{part}\n"
    RESULTS.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" or ".join(BENCHMARKS + ALONE))
    parser.add_argument("--write", action="store_true", help="also write tests/bench/RESULTS.md")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS + ALONE):
        parser.error(
            f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}"
        )
    for name in options.names or BENCHMARKS:
        tables = importlib.import_module(f"tests.bench.{name}").main()
        print(f"{tables}\n", flush=True)
        if options.write:
            store(name, tables)


if __name__ == "__main__":
    main()
