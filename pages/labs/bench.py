"""The bench's lab: two variants of one trick, as one frame."""

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

from lessons.bench.comparison import Comparison, Side, compare
from lessons.bench.figures import arrows, draws, figures
from lessons.bench.function import NOISE
from lessons.bench.setting import SIDES, Form, Interval, Setting, read_setting
from lessons.bench.tricks import OWN, TRICKS, StopGradient, cuts, names_in_rule
from lessons.bench.words import label
from lessons.contract.lesson import Lesson, RefusedTextError
from lessons.contract.parameters import InvalidParametersError, Parameter
from lessons.contract.result import Note
from lessons.contract.roles import ROLES
from lessons.gradient_tricks.recorder.picture.graph_drawing import sign_of
from lessons.gradient_tricks.recorder.recording.plain_tensor import short
from lessons.kit.formulas.drawing import covered
from lessons.kit.formulas.drawing import picture as drawing
from lessons.kit.inputs import ComputedIn
from lessons.outputs.catalogue import find, lessons
from lessons.playground.document.as_text import IMPORTS, packed, to_text
from lessons.playground.language.playground_error import PlaygroundError
from lessons.playground.running.budget import drawing_seconds, seconds_of
from lessons.playground.running.outcome_charts import key, table
from lessons.playground.running.recorded import place
from pages.labs import payload
from pages.labs.code import pane
from pages.labs.frame import frame as build
from pages.labs.graph_messages import Bracket, GraphSpec, OtherGradient
from pages.labs.messages import Code, Control, Frame, Group, KeyEntry, Link, NoteSpec, Wish
from pages.labs.words import WORDS

_SHARED = {
    "cards": ("trick",),
    "function": ("function", "own"),
    "move": (".entry",),
    "inputs": (".values", "point", "noise", ".ends", ".seed"),
}
"""The areas of the shared controls, by their names or the ends of their names."""
_LONG_CHOICES = "function", "op", "point", "device"
"""Choices whose options are too long for buttons, or out of sight."""
_TEXTS = {(trick.name, one.name): one.text for trick in TRICKS.values() for one in trick.functions}
"""The functions, by trick and name."""
_USUAL = "sqrt(x**2 * u)"
"""The function of a wish that names none."""
_CHARTS = "a.forward", "b.forward", "a.gradient", "b.gradient"
GRADIENT = "gradient"
"""What a teacher's link may hide besides controls: everything that shows a gradient."""
LONGEST_TEXT = 400
"""Characters that a control's text has at most."""


def seconds(wish: Wish) -> float:
    """Estimate how long a wish takes to compute, from its function and the length of its lists."""
    total = drawing = 0.0
    for form in (wish.values, wish.good or {}):
        name = form.get("trick", ""), form.get("function", "")
        text = form.get("own", "")[:LONGEST_TEXT] if name[1] == OWN else _TEXTS.get(name, _USUAL)
        most = max((form[name].count(",") for name in form if name.endswith(".values")), default=2)
        total += 2 * seconds_of(text, [min(most, LONGEST_TEXT) + 1], form.get("noise") != "off")
        drawing = max(drawing, drawing_seconds(text))
    return total + drawing


def frame(wish: Wish) -> Frame:
    """Return what the bench shows.

    Raises:
        RefusedTextError: a text is refused, and the wish brings nothing that was good.
    """
    form = {name: text[:LONGEST_TEXT] for name, text in wish.values.items()}
    errors: Mapping[str, str] = {}
    try:
        comparison = _compared(read_setting(form, wish.touched))
    except InvalidParametersError as error:
        if wish.good is None:
            raise RefusedTextError(str(error)) from None
        errors = error.errors
        comparison = _fallback(wish.good, form, errors)
    said = comparison.setting.form | {name: form[name] for name in errors if name in form}
    groups = _groups(comparison, said, errors, wish)
    values_only = GRADIENT in wish.hide
    most = 1 if values_only else None  # the value comes first
    charts = [*figures(comparison), *filter(None, (draws(comparison), arrows(comparison)))]
    return build(
        said,
        wish.open,
        below_stage=_CHARTS,
        graph=partial(_graph, comparison, values_only),
        charts=[one for one in charts if not values_only or one.name.endswith(".forward")],
        table=None
        if values_only
        else table({"A: ": comparison.a.outcome, "B: ": comparison.b.outcome}),
        code=partial(_code, comparison),
        labels=dict.fromkeys(_CHARTS, "") | {"draws": WORDS("draws"), "arrows": WORDS("arrows")},
        accepted=not errors,
        groups=groups,
        notes=[*_strays(groups, errors), *payload.notes(_warnings(comparison))],
        query=""
        if wish.moving
        else urlencode(_address(comparison.setting) | _teachers(wish, said)),
        key=_key(comparison)[:most],
        sentence=comparison.sentence[:most],
        links=() if wish.moving else _links(comparison, wish),  # the browser keeps those it has
    )


def _key(comparison: Comparison) -> list[KeyEntry]:
    """Explain the lines; with noise, of the true gradient the ends of its band are drawn."""
    entries = [payload.key_entry(ROLES[name]) for name in key(comparison.a.outcome)]
    if len(comparison.a.outcome.draws["forward"]) > 1:
        for entry in entries:
            if entry["role"] == "true_gradient":
                entry["label"] = WORDS("ends_of_band", role=entry["label"])
    return entries


def _warnings(comparison: Comparison) -> list[Note]:
    """The warnings about the numbers of A and B. The charts say the rest themselves."""
    notes = (*comparison.a.outcome.notes, *comparison.b.outcome.notes)
    return [*dict.fromkeys(one for one in notes if one.level == "warning")]


@cache
def controls() -> frozenset[str]:
    """The names of all controls, whatever the trick and the function."""
    opened = (read_setting({"trick": trick, "function": name}) for trick, name in _TEXTS)
    return frozenset(name for setting in opened for name in setting.form)


def _fallback(good: Mapping[str, str], form: Form, errors: Mapping[str, str]) -> Comparison:
    """Run what can be run after a refusal, the nearest to what was asked.

    That is the form with the last good texts in place of the refused ones; else the last good form;
    else the trick and function with their first settings; else the bench as it opens.
    """
    others = {name: text for name, text in form.items() if name not in errors}
    mended = others | {name: good[name] for name in errors if name in good}
    picked = {n: text for n, text in form.items() if n in ("trick", "function")}
    for tried in (mended if good else {}, dict(good), picked):
        with suppress(InvalidParametersError):
            if tried:
                return _compared(read_setting(tried))
    return _compared(read_setting({}))


def _strays(groups: Sequence[Group], errors: Mapping[str, str]) -> list[NoteSpec]:
    """Notes for the refusals at controls that are out of sight."""
    there = {one["name"] for group in groups for one in group["controls"] if not one["hidden"]}
    return [{"level": "error", "text": errors[name]} for name in errors if name not in there]


@lru_cache(maxsize=4)
def _compared(setting: Setting) -> Comparison:
    """Run both variants.

    Raises:
        InvalidParametersError: a program does not run.
    """
    try:
        return compare(setting)
    except PlaygroundError as error:
        error.__context__ = error.__cause__ = None
        (first, *_) = setting.example.inputs
        control = "own" if "own" in setting.form else f"in.{first}.values"
        if error.part == "rule" and error.subject in SIDES:
            control = f"{error.subject}.expression"
        raise InvalidParametersError({control: error.message}) from None


def _groups(
    comparison: Comparison, said: Mapping[str, str], errors: Mapping[str, str], wish: Wish
) -> list[Group]:
    """All controls: the shared ones, those of A and of B, device and number format."""
    setting = comparison.setting
    groups: list[Group] = []
    for area, names in _SHARED.items():
        parts = [one for name in names for one in setting.shared if one.name.endswith(name)]
        controls = [_control(one, one.name, setting.values, said, errors) for one in parts]
        groups.append({"title": None, "open": True, "area": area, "controls": controls})
    for side, values, shown in zip(SIDES, setting.sides, (comparison.a, comparison.b), strict=True):
        controls = [
            _control(one, f"{side}.{one.name}", values, said, errors)
            for one in setting.own
            if one.name != "expression" or values["rule"] == "typed"
        ]
        if controls[-1]["name"].endswith(".expression"):
            read = ", ".join(names_in_rule(setting.function, values["op"]))
            controls[-1]["label"] = label("expression", names=read)
        about: Group = {"title": side.upper(), "open": True, "area": side, "controls": controls}
        groups.append(about | {"code": _formula(setting, shown)})
    more = [_control(one, one.name, setting.values, said, errors) for one in ComputedIn.parameters]
    groups.append({"title": None, "open": True, "controls": more})
    hide, fix = _held(wish)
    still = "noise" in hide or not any(NOISE in line.reads for line in setting.function.lines)
    for control in (control for group in groups for control in group["controls"]):
        name = control["name"]  # a click in a chart chooses the point
        out = name == "point" or (still and name.startswith(f"in.{NOISE}."))
        out = out or (name == "device" and len(control["options"]) == 1)
        control["hidden"] = out or name in hide
        # Without a reversal, λ makes no difference.
        if name.endswith(".scale") and said[f"{name[0]}.times"] == "0":
            control["disabled"] = True
        if name in fix:
            control |= {"disabled": True, "help": WORDS("locked")}
    return groups


def _held(wish: Wish) -> tuple[set[str], set[str]]:
    """Return the controls that a teacher's link hides, and those that it locks.

    Another trick or function would change them or have others, so both are locked, too; and so is
    the slider that changes a locked list.
    """
    hide, fix = ({*names} & controls() for names in (wish.hide, wish.fix))
    fix |= {name.replace(".values", ".entry") for name in fix}
    return hide, fix | {"trick", "function"} if hide | fix else fix


def _control(
    parameter: Parameter,
    name: str,
    values: Mapping[str, Any],
    said: Mapping[str, str],
    errors: Mapping[str, str],
) -> Control:
    more: dict[str, Any] = {"error": errors.get(name), "help": parameter.help}
    kind = payload.control_kind(parameter, values) | {"value": said[name]}
    if isinstance(parameter, Interval):
        low, high = values[name]
        kind |= {"kind": "interval", "scale": "linear", "step": 0.01}
        kind |= {"min": min(-2.0, low), "max": max(2.0, high)}
        kind |= {"ends": [label("ends_low"), label("ends_high")]}
    if name == f"in.{NOISE}.seed":
        more["button"] = label("new_draw")
    if kind["kind"] in ("choice", "select"):
        kind["kind"] = "select" if parameter.name in _LONG_CHOICES else "choice"
    return payload.control(name, parameter.label, **kind, **more)


def _formula(setting: Setting, side: Side) -> str:
    """The lines that the trick changes, in short."""
    before = setting.function.text.splitlines()
    lines = [line.text for line in side.variant.function.lines]
    changed = [line for line in lines if line not in before]
    told = "; ".join(changed or before[-1:]).replace("stop_gradient", "sg")
    rules = "; ".join(f"{one.op_type}: {one.rule}" for one in side.variant.overrides)
    return label("instead_of_own", rules=rules) if rules else told


def _teachers(wish: Wish, form: Form) -> dict[str, str]:
    """The controls that a teacher's link hides and locks, as in its address."""
    named = {"hide": wish.hide, "fix": wish.fix}
    known = {*form, GRADIENT}
    there = {word: ",".join(sorted(known & {*names})) for word, names in named.items()}
    return {word: names for word, names in there.items() if names}


def _address(setting: Setting) -> dict[str, str]:
    """The texts that an address needs to restore these settings: the others are defaults."""
    form = {name: text for name, text in setting.form.items() if not name.endswith(".entry")}
    first = next(iter(TRICKS.values()))
    found: dict[str, str] = {}
    if setting.trick is not first:
        found["trick"] = form["trick"]
    if setting.example is not setting.trick.functions[0]:
        found["function"] = form["function"]
    # A text in the address may change another control's default, which then needs its text, too.
    for _ in form:
        there = read_setting(found).form
        others = {name: text for name, text in form.items() if there.get(name) != text}
        if not others:
            break
        found |= others
    return found


def _links(comparison: Comparison, wish: Wish) -> list[Link]:
    """The lesson about this comparison, both programs in the playground, and the teachers' page."""
    setting = comparison.setting
    links: list[Link] = []
    if lesson := _lesson(setting):
        name = lesson.prose.front["short"]
        address = f"{lesson.chapter}?lesson={lesson.slug}"
        links.append({"label": WORDS("lesson_about", name=name), "address": address})
    links += [
        {
            "label": WORDS("edit_as_program", name=name.upper()),
            "address": "playground?" + urlencode({"program": packed(to_text(side.document))}),
        }
        for name, side in zip(SIDES, (comparison.a, comparison.b), strict=True)
    ]
    if not (wish.hide or wish.fix):  # a teacher has chosen what these learners may set
        query = {"trick": setting.trick.name} | _address(setting)
        links.append({"label": WORDS("teach_with"), "address": "teach?" + urlencode(query)})
    return links


def _lesson(setting: Setting) -> Lesson | None:
    """The lesson about this trick whose case has the function, and most settings in common."""
    form, alike = setting.form, dict[str, tuple[bool, int]]()
    for slug, case in _cases().items():
        if case["trick"] == form["trick"]:
            shared = sum(form.get(name) == text for name, text in case.items())
            alike[slug] = case["function"] == form["function"], shared
    return find(max(alike, key=alike.__getitem__)) if alike else None


@cache
def _cases() -> Mapping[str, Form]:
    """The settings of each lesson's case, by slug."""
    cases = {one.slug: one.prose.front.get("bench") for one in lessons()}
    return {slug: read_setting(dict(parse_qsl(case))).form for slug, case in cases.items() if case}


def _code(comparison: Comparison) -> Code:
    """Both programs as files to take home."""
    texts = {
        name.upper(): f"{IMPORTS}\n{to_text(side.document)}"
        for name, side in zip(SIDES, (comparison.a, comparison.b), strict=True)
    }
    return {
        "panes": {name: pane(text) for name, text in texts.items()},
        "files": {f"bench_{name.lower()}.py": text for name, text in texts.items()},
    }


def _graph(comparison: Comparison, values_only: bool) -> GraphSpec:
    """The graph of the function, with the gradients of A above each edge and of B below.

    Args:
        values_only: whether the graph leaves out the gradients.
    """
    setting, plain = comparison.setting, comparison.plain
    # The noise has no box: the op that reads it names it.
    noise = [node.name for node in plain if node.label == NOISE]
    others = [node.name for node in plain if node.name not in noise]
    made: Any = drawing(plain, place(comparison.a.checked), only=others, steps=False)
    made = covered(made) if values_only else made
    made |= {"equation": [], "scissors": None, "cuts": [], "covered": ""}
    drawn: GraphSpec = made | {"stretches": [], "leaves": []}
    for node in drawn["nodes"]:
        if any(edge.producer.name in noise for edge in plain.nodes[node["id"]].operands):
            node["lines"][-2] += f" {NOISE}"
    labels = {node["id"]: node["label"] for node in drawn["nodes"]}
    drawn["brackets"] = [
        _bracket(setting, name, side, labels)
        for name, side in zip(SIDES, (comparison.a, comparison.b), strict=True)
    ]
    if values_only:
        return drawn
    sides = comparison.a.edges, comparison.b.edges
    ends = [(labels[edge["from"]], labels[edge["to"]]) for edge in drawn["edges"]]
    waiting = [{edge: iter(sent) for edge, sent in side.items()} for side in sides]
    sent = [[next(side.get(one, iter(())), None) for side in waiting] for one in ends]
    sizes = [abs(one) for both in sent for one in both if one is not None and not math.isnan(one)]
    largest = max(sizes, default=0.0) or 1.0
    for edge, both, (name, reader) in zip(drawn["edges"], sent, ends, strict=True):
        a, b = (_sent(one, largest) for one in both)
        edge |= {"gradient": a["gradient"], "sign": a["sign"], "weight": a["weight"]}
        edge |= {"state": "flowing" if a["gradient"] else "none", "other": b}
        told = {"a": a["gradient"] or WORDS("none"), "b": b["gradient"] or WORDS("none")}
        edge["alternative"] = WORDS("both_gradients", name=name, reader=reader, **told)
        edge["full"] = ""
    return drawn


def _sent(gradient: float | None, largest: float) -> OtherGradient:
    """A gradient as an edge shows it; ``largest`` is the largest size of all of them."""
    sign: Any = sign_of(gradient)
    if gradient is None:
        return {"gradient": "", "sign": sign, "weight": 0.0}
    share = 0.0 if math.isnan(gradient) else min(abs(gradient) / largest, 1.0)
    return {"gradient": short(gradient), "sign": sign, "weight": round(math.sqrt(share), 4)}


def _bracket(setting: Setting, name: str, side: Side, labels: Mapping[str, str]) -> Bracket:
    """The nodes that a variant's trick covers, and the covers that a drag can choose."""

    def nodes(names: Collection[str]) -> list[str]:
        return [node for node, known in labels.items() if known in names]

    options: list[tuple[str, list[str]]] = []
    if isinstance(setting.trick, StopGradient):
        options = [(one, nodes(cut.around)) for one, cut in cuts(setting.function).items()]
    return {
        "name": name,
        "nodes": nodes(side.variant.around),
        "control": f"{name}.cut" if options else "",
        "options": options,
    }
