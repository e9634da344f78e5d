"""Throws random and hostile messages at the labs' socket: ``python -m tests.server.fuzz``.

All that answers in a server runs in this process, without workers: ``Socket`` with a websocket of
the case's, and the functions of its workers. Each message gets an answer, either a frame or a
picture or a short sentence, and never a mistake of ours; then the same socket still answers a wish
as a browser sends it.
"""

import asyncio
import json
import random
import sys
import time
from typing import Any

from lessons.bench.setting import read_setting
from lessons.bench.tricks import TRICKS
from lessons.contract.cuts import write_cuts
from lessons.outputs.catalogue import UnknownLessonError, find, lessons
from lessons.outputs.process import leave_unsaid
from lessons.playground.document.as_text import from_text, to_text
from lessons.playground.document.gestures import Form, form_of
from lessons.playground.document.presets import presets
from lessons.playground.language.playground_error import PlaygroundError
from pages.labs.answer import MISTAKE
from pages.labs.messages import MAX_SEQ, RefusedError, opened, read, read_training
from pages.server.socket import Socket
from tests.playground.programs import HOSTILE_RULES, mutated, wild
from tests.server.asgi import run
from tests.support.fuzzing import fuzz
from tests.support.in_process import site

MESSAGE_SECONDS = 3.0
"""Seconds of computing that one message may take on a busy machine …"""
MOST_MESSAGES = 5
"""… and how many of them a case has at most, besides the last."""
KINDS, CONTENTS = {"again", "refused"}, {"frame", "picture"}
HUNG = 120
"""Seconds after which an answer will not come any more."""
LONGEST_TEXT = 1000
"""Characters of what is said to a learner."""
SLUGS = [one.slug for one in lessons()]
TRAINED = [one.slug for one in lessons() if one.lab.training]

NUMBERS = (
    "", " ", "0", "-0", "1", "2", "-1", "0.5", "1e5", "1e-9", "1e308", "-1e308", "1e-320", "nan",
    "inf", "-inf", "1e999", "1_000", "0x10", "١٢", "１", "²", "½", "−1", "1e", "1.2.3", "--1", "1,",
    ",", "1,,2", "1 2", "1;2", "[1, 2]", "[[1, 2], [3]]", "9" * 400, "1" * 5000, "1," * 300,
    "0.1, " * 64, "1e400," * 9, "true", "None", "x", "cpu", "cuda", "float32", "bfloat16", "\x00",
    "\u202e1", "1\n2", "\t1", "a" * 3000, "<b>", "{}", "%s", "\\", "'", '"', "🎈",
    "1" + "\u0301" * 60,
)  # fmt: skip
RAW = ("1e999", "-1e999", "NaN", "Infinity", '"\\ud800"', '"\\u0000"', "1" * 5000, "0.1e-99999",
       "[" * 5000 + "]" * 5000, '{"a":' * 300 + "1" + "}" * 300, "[1,2", '"', "\\", "tru", "",
       '{"lab":"flip","lab":"flip"}', "9223372036854775808", "-0")  # fmt: skip
"""JSON and what is none, put where a value stood."""
PLAIN: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 999, 1000, 2**31, 2**63, 10**30, 0.5, 1e308, "", "x", "\x00",
    "\u2028", "a" * 101, "a" * 4001, [], {}, [[]], ["a"] * 129, {"": ""}, ["x", "x"], [None],
    {f"x{n}": "1" for n in range(257)}, {"x": None}, {"x": ["1"]},
)  # fmt: skip
HERE = "\u0001raw"


class FakeWebSocket:
    """A websocket that ends in this process; what is sent on it is looked at as it comes."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.news = asyncio.Event()
        self.final: list[tuple[int, str]] = []  # number and kind of each answer
        self.wrong: list[str] = []
        self.sent = 0

    def put(self, **message: object) -> None:
        self.sent += 1
        self.coming.put_nowait({"type": "websocket.receive", **message})

    async def receive(self) -> dict[str, Any]:
        return await self.coming.get()

    async def send(self, message: dict[str, Any]) -> None:
        said = json.loads(message["text"], parse_constant=self.wrong.append)
        seq, kind = said["seq"], said["kind"]
        if kind not in KINDS | CONTENTS or not 0 <= seq <= MAX_SEQ:
            self.wrong.append(message["text"])
        texts = sentences(said["content"]) if kind in CONTENTS else [said["text"]]
        self.wrong += [text for text in texts if not fit(text)]
        self.final.append((seq, kind))
        self.news.set()

    async def until(self, seq: int | None, kinds: set[str], since: int) -> None:
        """Until there is an answer of these kinds, to that number or to any."""
        while not any(k in kinds and seq in (n, None) for n, k in self.final[since:]):
            self.news.clear()
            await self.news.wait()


def fit(text: str) -> bool:
    """Say whether this may be said to a learner: it is short, and no mistake of ours."""
    printable = text.replace("\n", "").isprintable()  # a note may have several lines
    return text != MISTAKE and len(text) <= LONGEST_TEXT and printable


def sentences(body: dict[str, Any]) -> list[str]:
    """What a frame or picture says to people about what came."""
    groups = body.get("groups", ())
    errors = [one["error"] or "" for group in groups for one in group["controls"]]
    return [*errors, *(note["text"] for note in body["notes"])]


def real(random_: random.Random, slug: str) -> dict[str, Any]:
    """A wish as a browser sends it."""
    if slug == "playground":
        values = form(random_)
        wish: dict[str, Any] = {"lab": slug, "values": values, "good": random_.choice([None, {}])}
        if random_.random() < 0.3:
            wish["do"] = f"snip {random_.choice(['square', 'mul', 'y', 'sqrt_1', '2'])}:0"
        if random_.random() < 0.4:
            wish["touched"] = random_.choices([*values, "preset"], k=2)
        if random_.random() < 0.1:
            wish["values"] = values | {"preset": random_.choice(presets()).name}
        return wish
    if slug == "bench":
        trick = random_.choice([*TRICKS, "none"])
        values = read_setting({"trick": trick} if trick in TRICKS else {}).form
        touched = random_.choices([*values, "own"], k=2)
        return {
            "lab": slug,
            "values": values,
            "good": random_.choice([None, {}]),
            "touched": touched,
        }
    lesson = find(slug)
    place = random_.randrange(len(lesson.prose.steps))
    step = lesson.prose.steps[place]
    values = lesson.defaults | dict(step.lab)
    asked = [one.question.name for one in lesson.prose.steps if one.question]
    wish = {
        "lab": slug,
        "values": values,
        "good": random_.choice([None, {}, values]),
        "moving": random_.random() < 0.4,
        "step": place + 1,
        "answers": random_.sample(asked, random_.randint(0, len(asked))),
        "touched": random_.sample([*values], min(len(values), random_.randint(0, 2))),
    }
    if random_.random() < 0.4:
        wish["cuts"] = cuts_of(random_, slug, random_.randint(0, 4))
    if random_.random() < 0.2:
        wish["hide"], wish["fix"] = (random_.sample([*values], 1 if values else 0) for _ in "ab")
    if random_.random() < 0.2:
        goal = str(step.turn.goal) if step.turn else "x_grad = 1"
        wish["goal"] = mutated(random_, goal, random_.randint(0, 2))
    return wish


def program(random_: random.Random) -> str:
    """A playground's text: a preset's, a random program's, or anything else."""
    document = random_.choice(presets()).document if random_.random() < 0.5 else wild(random_)
    try:
        return to_text(document)
    except PlaygroundError:  # no text says this
        rule = random_.choice(HOSTILE_RULES)
        block = f'with gradient_override_map({{"mul": lambda op, grad: {rule}}}):\n    v = x * x'
        head = random_.choice(["", "x = input([1, -2, 0.5])", f"x = input(1)\n{block}"])
        return f"{head}\n{document.program}\nshow(out, x)"


def form(random_: random.Random) -> Form:
    """The playground's controls for such a text."""
    text = program(random_)
    try:
        return form_of(from_text(text))
    except PlaygroundError:
        return {"program": text}


def cuts_of(random_: random.Random, slug: str, most: int) -> str:
    """Edges that the lesson has, as an address names them."""
    edges = sorted(find(slug).edges(find(slug).validate({})))
    return write_cuts(random_.sample(edges, min(len(edges), most)))


def text_of(random_: random.Random, text: str) -> str:
    """Another text for a control."""
    kind = random_.randrange(4)
    if kind == 0:
        return mutated(random_, text, random_.randint(1, 3))
    if kind == 1:
        return random_.choice(NUMBERS)
    if kind == 2:
        return ", ".join(random_.choices(NUMBERS[:16], k=random_.choice([1, 2, 3, 9, 70])))
    try:
        return f"{float(text.split(',')[0]) * 10.0 ** random_.randint(-12, 12):.15g}"
    except ValueError:
        return text * random_.choice([0, 2, 30])


def changed(random_: random.Random, wish: dict[str, Any]) -> str:
    """The wish as JSON, with a part or some of it changed."""
    raw = random_.choice(RAW)
    for _ in range(random_.choice([0, 1, 1, 1, 2, 4])):
        values = wish.get("values")
        kind = random_.randrange(10)
        if kind < 5 and isinstance(values, dict) and values:
            name = random_.choice([*values])
            wish["values"] = values | {name: text_of(random_, str(values[name]))}
        elif kind == 5:
            part = random_.choice(["cuts", "do", "lab"])
            wish[part] = mutated(random_, str(wish.get(part, "snip mul:0")), random_.randint(1, 3))
        elif kind == 6:
            part = random_.choice(["answers", "touched", "hide", "fix"])
            names = [*(values if isinstance(values, dict) else ()), "x", "", "training", "preset"]
            wish[part] = random_.choices(names, k=random_.choice([1, 3, 128]))
        elif kind == 7 and isinstance(values, dict):
            name = mutated(random_, random_.choice([*values, "in.x.values", "rule.op"]), 1)
            wish["values"] = values | {name: random_.choice(NUMBERS)}
        else:
            part = random_.choice([*wish, "open", "step", "moving", "good", "more", "cuts"])
            wish[part] = random_.choice([*PLAIN, HERE, HERE])
    text = json.dumps(wish, ensure_ascii=random_.random() < 0.5)
    text = text.replace(json.dumps(HERE), raw)
    return mutated(random_, text, 2) if random_.random() < 0.1 else text


def message(random_: random.Random) -> str:
    """One message, with its envelope."""
    trains = random_.random() < 0.2
    slug = random_.choice(TRAINED if trains else [*SLUGS, *["bench"] * 6, *["playground"] * 12])
    wish = changed(random_, real(random_, slug)).replace("\n", "\\n")
    kinds = {"ask": 30, "train": 3 + 9 * trains, "taken": 2, "fly": 1}
    (kind,) = random_.choices([*kinds], [*kinds.values()])
    seq = random_.choice([0, 1, 2, 3, 999, MAX_SEQ, random_.randrange(10**9)])
    text = f"{seq} {kind} {wish}" if kind != "taken" else f"{seq} {kind}"
    if trains:
        training = {
            "phase": random_.choice(["run", "run", "pause"]),
            "begun": random_.randrange(3),
            "token": random_.choice(["a", "b", "🎈", "\x00"]),
            "run": random_.choice(["", "lost"]),
            "count": random_.randrange(9),
        }
        if random_.random() < 0.25:
            training[random_.choice([*training, "more"])] = random_.choice([*PLAIN, HERE])
        text += "\n" + json.dumps(training).replace(json.dumps(HERE), random_.choice(RAW))
    if random_.random() < 0.04:
        text = mutated(random_, text[:60], 3) + text[60:]
    return text + (" " * 400_000 if random_.random() < 0.002 else "")


def expected(text: str) -> tuple[int | None, set[str]]:
    """The number and kinds of what must come; no kinds where nothing need."""
    try:
        found = opened(text)
        if found.training or found.kind == "train":
            read_training(found.training)
    except RefusedError:
        return None, {"refused"}
    answered = {"frame", *KINDS}
    if found.kind == "train":  # a picture that comes may answer a later one: it says nothing here
        try:
            trained = find(read(found.wish).lab).lab.training
        except (RefusedError, UnknownLessonError):
            trained = None
        return (found.seq, set() if trained else {"refused"})
    return (found.seq, answered) if found.kind == "ask" else (None, set())


async def learner(random_: random.Random, socket: FakeWebSocket) -> None:
    """Send messages, wait for most of the answers, and look whether the socket still answers."""
    text = ""
    for _ in range(random_.randint(1, MOST_MESSAGES)):
        text = text if text and random_.random() < 0.1 else message(random_)
        since, start = len(socket.final), time.process_time()
        seq, kinds = expected(text)
        if random_.random() < 0.01:
            socket.put(bytes=b"\x00")
        socket.put(text=text)
        if kinds and random_.random() < 0.9:
            await socket.until(seq, kinds, since)
        elif random_.random() < 0.5:
            await asyncio.sleep(0)
        took = time.process_time() - start
        assert took < MESSAGE_SECONDS, f"{took:.1f} s for {text[:300]}"
    last = 4_000_000_007
    socket.put(text=f'{last} ask {{"lab":"flip"}}')
    await socket.until(last, {"frame"}, 0)


async def conversations(random_: random.Random) -> list[str]:
    """Send messages of a browser or two to one server; return the kinds of what they heard."""
    here = site()
    made = [FakeWebSocket() for _ in range(random_.choice([1, 1, 1, 2]))]
    labs = [Socket(one, here.frame, here.trainers, "") for one in made]  # type: ignore
    sockets = [asyncio.create_task(one.serve()) for one in labs]
    learners = [learner(random.Random(random_.random()), one) for one in made]
    try:
        async with asyncio.timeout(HUNG):
            await asyncio.gather(*learners)
    finally:
        for one in made:
            one.coming.put_nowait({"type": "websocket.disconnect"})
    async with asyncio.timeout(HUNG):
        await asyncio.gather(*sockets)
    here.end()
    wrong = [said for one in made for said in one.wrong]
    assert not wrong, f"{len(wrong[0])} characters: {wrong[0][:300]!r}"
    return ["message" for one in made for _ in range(one.sent)] + [
        kind for one in made for _, kind in one.final
    ]


def one(random_: random.Random, place: int) -> list[str]:
    return run(conversations(random_))


def main() -> int:
    leave_unsaid()
    return fuzz(one, MESSAGE_SECONDS * (2 * MOST_MESSAGES + 1), __doc__ or "")


if __name__ == "__main__":
    sys.exit(main())
