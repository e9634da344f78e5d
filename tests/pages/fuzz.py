"""Throws random and hostile addresses at every page: ``python -m tests.pages.fuzz``.

A page's script runs as for a visitor who comes by that address, and whose browser reports any
preview to the page for teachers. The same words go to /frame.json and to paths that are no page. No
page shows an exception, no answer is a 500, and nothing of an address becomes a part of a
page.
"""

import json
import logging
import random
import re
import sys
import time
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import parse_qs, quote, unquote
from zlib import compress

from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from lessons.outputs import address
from lessons.outputs.catalogue import chapters, find, lessons
from lessons.outputs.glossary import terms
from lessons.outputs.process import leave_unsaid
from lessons.playground.document.presets import presets
from pages.labs.by_name import LABS
from pages.server import application
from pages.server.addresses import Addresses
from pages.server.application import FRAME, OTHER_PAGES, SOCKET
from pages.server.headers import SecurityHeaders
from pages.server.socket_guard import STREAM
from tests.playground.programs import mutated
from tests.server.asgi import ask
from tests.server.fuzz import LONGEST_TEXT, NUMBERS, cuts_of, fit, program, text_of
from tests.support.fuzzing import fuzz
from tests.support.in_process import site
from tests.support.server import ROOT

PAGE_SECONDS = 10.0
"""Seconds of computing that one address may take."""
FRAME_SECONDS = 3.0
"""Seconds of computing that one frame may take."""
CHAPTERS = [one.slug for one in chapters()]
PAGES = ["", *CHAPTERS, *OTHER_PAGES]
SLUGS = [one.slug for one in lessons()]
MARK = "zqx"
"""A part of every hostile word: the page is searched for it."""
HOSTILE = (
    f"<b>{MARK}</b>", f"<script>{MARK}()</script>", f"[{MARK}](//{MARK}.cd)", f"![](//{MARK}.cd)",
    f"${MARK}$", f":{MARK}:", f"`{MARK}`", f'"{MARK}=1 x="', f"'><i {MARK}>", f"https://{MARK}.cd",
    f"{MARK}\n\n# {MARK}", f"{MARK}\x00\u202e", f"{MARK}" * 900, f":red[{MARK}]", f"|{MARK}|\n|-|",
)  # fmt: skip
ALIVE = (f"<b>{MARK}", f"<script>{MARK}", f"<i {MARK}", f"](//{MARK}", f"${MARK}$", f"\n# {MARK}",
         f'"{MARK}=1', f" https://{MARK}", f":red[{MARK}]", f"`{MARK}`")  # fmt: skip
"""What must not stand where Markdown or HTML is read, but behind a backslash."""
RAW = ("%", "%zz", "%00", "%ff%fe", "%ed%a0%80", "+", "&&", "==", "&=&", ";", "#", "%26", "%3D",
       "%F0%9F%8E%88", "é", "\u2028", "%0d%0a", "x" * 30_000, "a=1&" * 500)  # fmt: skip

logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel("ERROR")
_routes = application.routes(site())
SITE = SecurityHeaders(
    Addresses(Starlette(routes=_routes), "/", [SOCKET, STREAM], [f"/{FRAME}"]),
)


def words(random_: random.Random, page: str) -> list[tuple[str, str]]:
    """The words of an address as we write them, for a page that reads them."""
    if page == "glossary":
        return [("term", random_.choice(terms()).name)]
    if page == "playground" and random_.random() < 0.8:
        packed = urlsafe_b64encode(compress(program(random_).encode("utf-8", "replace"))).decode()
        brings = ("program", packed.rstrip("=")), ("preset", random_.choice(presets()).name)
        return [random_.choice(brings), *random_.choice([[], [("at", "2")], [("n", "a1b2c3")]])]
    own = [one for one in lessons() if one.chapter == page]
    if own and random_.random() < 0.1:
        said = "".join(random_.choices("0123", k=random_.randrange(6)))
        return [("quiz", str(random_.randrange(3))), ("said", said), ("at", str(len(said) // 2))]
    own = own or [*lessons()]
    lesson = random_.choice(own)
    place = random_.randint(1, len(lesson.prose.steps))
    names = [one.name for one in lesson.lab.parameters]
    values = lesson.validate(lesson.prose.steps[place - 1].lab)
    held = random_.sample(names, min(len(names), random_.choice([0, 0, 1, 2])))
    query = address.query(lesson, values, place, (), held[:1], held[1:])
    found = [(name, texts[0]) for name, texts in parse_qs(query).items()]
    found += [(name, lesson.defaults[name]) for name in names if random_.random() < 0.2]
    if random_.random() < 0.4:
        found += [("cuts", cuts_of(random_, lesson.slug, 3))]
    if random_.random() < 0.3:
        found += [("at", str(random_.randrange(12)))]
    if random_.random() < 0.2:
        found += [("embed", "true"), ("embed_options", "dark_theme")]
    return found


def hostile(random_: random.Random, text: str) -> str:
    kind = random_.randrange(3)
    if kind == 0:
        return text_of(random_, text)
    if kind == 1:
        return random_.choice(HOSTILE)
    return mutated(random_, text, 1) + random_.choice(HOSTILE[:8])


def query_of(random_: random.Random, page: str) -> str:
    """An address's query as a browser may send it."""
    found = words(random_, page if random_.random() < 0.9 else random_.choice(PAGES))
    for _ in range(random_.choice([0, 1, 1, 2, 3, 6])):
        place = random_.randrange(len(found))
        name, text = found[place]
        kind = random_.randrange(6)
        if kind < 3:
            found[place] = name, hostile(random_, text)
        elif kind == 3:
            found[place] = hostile(random_, name), text
        elif kind == 4:
            found.append((name, hostile(random_, text)))
        else:
            known = ("lesson", "step", "cuts", "at", "hide", "fix", "embed", "program", "preset",
                     "n", "term", "answers", "q", "page", "key", "session")  # fmt: skip
            found.append((random_.choice(known), hostile(random_, random_.choice(NUMBERS))))
    random_.shuffle(found)
    bare = random_.choice(["", ",:", "<>[]()'\"$!*"])
    query = "&".join(
        f"{quote(n, bare, errors='replace')}={quote(t, bare, errors='replace')}" for n, t in found
    )
    while random_.random() < 0.25:
        place = random_.randrange(len(query) + 1)
        query = query[:place] + random_.choice(RAW) + query[place:]
    return query


def opened(random_: random.Random, page: str, query: str) -> list[str]:
    """The page's script for a visitor who comes by this address."""
    visit = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=120)
    visit._page_hash = calc_hash(page)
    visit.query_params = {**parse_qs(query, keep_blank_values=True, errors="replace")}
    if page == "teach":
        slug = random_.choice(SLUGS)
        sent = f"?lesson={slug}&{query_of(random_, '')}"
        visit.session_state["teach_preview"] = {"query": random_.choice([sent, sent, 3])}
        visit.session_state["teach_lesson"] = slug
    visit.run()
    if random_.random() < 0.2 and (there := [one for one in visit.button if not one.disabled]):
        random_.choice(there).click().run()
    for shown in visit.exception:
        raise AssertionError(f"an exception: {shown.proto.type} {shown.value}")
    for node in visit:
        if node.type in ("root", "main", "sidebar", "event", "column", "bidi_component", "code"):
            continue
        text = str(getattr(node, "value", "") or getattr(node, "label", "") or "")
        text = shown_html(node) or text
        alive = [one for one in ALIVE if re.search(rf"(?<!\\){re.escape(one)}", text)]
        assert not alive, f"{alive[0]!r} in {node.type}: {text[:300]}"
    titles = [one for one in visit if is_title(one)]
    assert len(titles) == 1, (page, titles)
    return ["page"]


def is_title(node: Any) -> bool:
    marked = node.type == "markdown" and node.value.startswith("# ")
    return marked or node.type == "title" or "<h1" in shown_html(node)


def shown_html(node: Any) -> str:
    return str(node.proto.body) if node.type == "html" else ""


def settings_of(random_: random.Random, slug: str) -> str:
    """A lesson's settings as a frame's query, some of them changed."""
    found = {name: text for name, text in find(slug).defaults.items() if random_.random() < 0.3}
    found |= {"cuts": cuts_of(random_, slug, 1)} if random_.random() < 0.3 else {}
    found |= {"step": str(random_.randrange(9)), "open": "graph,table"}
    for name in random_.choices([*found, "cuts", "x"], k=random_.randrange(3)):
        found[name] = text_of(random_, found.get(name, "mul:0"))
    return "&".join(f"{name}={quote(text, errors='replace')}" for name, text in found.items())


def asked(random_: random.Random, query: str) -> list[str]:
    """The same words, or settings of one lesson, to /frame.json or to a path that is none."""
    slug, word = random_.choice([*SLUGS, *LABS]), random_.choice(HOSTILE)
    if slug in SLUGS and random_.random() < 0.6:
        query = settings_of(random_, slug)
    query = f"lab={slug if random_.random() < 0.9 else quote(word, errors='replace')}&{query}"
    path = random_.choice([
        *[f"/{FRAME}"] * 12, f"/{FRAME}/", f"/{word}", f"/{slug}/{word}", "//", "/%00", "/\x00",
        "/app.py", "/static/../app.py",
    ])  # fmt: skip
    path = mutated(random_, path, 1) if random_.random() < 0.1 else path
    path = f"/{unquote(quote(path, errors='replace'), errors='replace')}".replace("//", "/", 1)
    start = time.process_time()
    answer = ask(
        SITE,
        path,
        method="POST" if random_.random() < 0.05 else "GET",
        query=quote(query, "%&=+;:,/<>[]()'\"$!*#"),
    )
    kind = answer.headers.get("content-type", "")
    where = f"{answer.status} {path} {query[:200]}"
    took = time.process_time() - start
    assert took < FRAME_SECONDS, f"{took:.1f} s: {where}"
    assert answer.status in (200, 400, 404, 405), where
    assert answer.headers["x-content-type-options"] == "nosniff"
    if "html" in kind:
        text = answer.body.decode()
        assert not [one for one in ALIVE if one in text], text[:300]
    if "json" in kind:
        found = json.loads(answer.body, parse_constant=lambda word: 1 / 0)
        if answer.status != 200:
            assert fit(found["error"]), f"{where}: {found['error'][:300]!r}"
    for value in answer.headers.values():
        assert value.isprintable()
        assert len(value) < 5 * LONGEST_TEXT
    return [f"http_{answer.status}"]


def one(random_: random.Random, place: int) -> list[str]:
    """A page, or five frames."""
    if place % 2:
        pages = (query_of(random_, random_.choice(PAGES)) for _ in range(5))
        return [word for query in pages for word in asked(random_, query)]
    page = random_.choice(PAGES)
    return opened(random_, page, query_of(random_, page))


def main() -> int:
    leave_unsaid()
    return fuzz(one, PAGE_SECONDS, __doc__ or "")


if __name__ == "__main__":
    sys.exit(main())
