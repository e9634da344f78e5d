"""A lesson's text as Markdown, values filled in: for a terminal and for a notebook."""

from collections.abc import Iterator

from lessons.contract.lesson import Lesson
from lessons.contract.parameters import Choice, Device, Integer, Number, Numbers, Parameter, Text
from lessons.contract.prose import fill


def reading(lesson: Lesson) -> str:
    """The whole lesson: its steps, and below each question what torch computes."""
    remember = f"**To remember:** {lesson.prose.front['remember']}"
    parts = [f"# {lesson.title}", lesson.summary, *steps(lesson), remember]
    return "\n\n".join(parts) + "\n"


def steps(lesson: Lesson) -> Iterator[str]:
    """Each step with its own settings, as Markdown."""
    for step in lesson.prose.steps:
        result = lesson.compute(lesson.validate(step.lab))
        facts = result.facts
        parts = [f"## {step.title}", fill(step.text, facts)]
        if step.lab:
            parts.append(f"Set in the lab: {', '.join(f'{n} = {t}' for n, t in step.lab.items())}.")
        if step.question:
            options = {o.key: fill(o.text, facts) for o in step.question.options}
            right = lesson.right(step.question, result)
            reply = next(o.reply for o in step.question.options if o.key == right)
            parts.append("\n".join(f"- {text}" for text in options.values()))
            parts.append(f"**Torch computes:** {options[right]} {fill(reply, facts)}")
        if step.turn:
            parts.append(fill(step.turn.text, facts))
        yield "\n\n".join(parts)


def settings(lesson: Lesson) -> str:
    """The lesson's parameters, a line each: name, what it does, what is accepted, the default."""
    rows = [(one.name, described(one)) for one in lesson.lab.parameters]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"  {name.ljust(width)}  {text}" for name, text in rows)


def described(parameter: Parameter) -> str:
    """What a parameter means, its range and its default, on one line."""
    match parameter:
        case Number(low=low, high=high):
            accepted = f"{low:g} to {high:g}"
        case Integer(low=low, high=high):
            accepted = f"{low:,} to {high:,}, whole"
        case Numbers(most=most):
            accepted = f"up to {most} numbers"
        case Choice(options=options):
            says = (f"{name} ({label})" if label != name else name for name, label in options)
            accepted = "one of " + ", ".join(says)
        case Device():
            accepted = "cpu, cuda, cuda:1 or mps"
        case Text(longest=longest):
            accepted = f"up to {longest} characters"
        case _:
            accepted = ""
    default = f"default {parameter.default}" if parameter.default else "default: none"
    notes = "; ".join(filter(None, [accepted, default]))
    return " ".join(f"{parameter.label}. {parameter.help} [{notes}]".split())
