"""Chart and table of many descents at once: how many have arrived."""

from lessons.chapters.clipping.cliff.looks import HEIGHT, LOOKS
from lessons.contract.figure import Figure, Table
from lessons.contract.history import History
from lessons.contract.parameters import Values
from lessons.kit.chart_pieces import axes
from lessons.training.step_charts import over_steps, with_ends


def run_figures(history: History, values: Values) -> list[Figure]:
    """The share that has arrived, with each way of clipping."""
    facts = history.facts
    shares = ", ".join(
        f"{name} {float(facts[f'{arm}_stayed']):.0%}" for arm, (_, name) in LOOKS.items()
    )
    lines = {f"{arm}_stayed": look for arm, look in LOOKS.items()}
    layout = axes((0.0, float(history.total)), (0.0, 1.02), "update", "share of the descents")
    figure = Figure(
        "shares",
        f"Never left, in the valley: {shares}",
        "In the valley now, and never left the window. Means over the seeds; areas: 5 to 95 % of "
        "the seeds.",
        f"Shares of the descents over the updates. After update {history.done}: {shares}.",
        over_steps(history, lines, layout, HEIGHT),
        layout,
        height=HEIGHT,
        subject="Descents in the valley that never left the window",
    )
    return [figure]


def run_table(history: History, values: Values) -> Table:
    """Shares of the starts: mean over the seeds, lowest and highest seed."""
    facts = history.facts
    rows = []
    for label, what in (
        ("in the valley, never left the window", "stayed"),
        ("in the valley, however it got there", "reached"),
        ("left the window at some time", "left"),
    ):
        rows.append((label, *(with_ends(facts, f"{arm}_{what}") for arm in LOOKS)))
    columns = (("measure", None), *((name, role) for role, name in LOOKS.values()))
    return Table(
        f"After update {history.done:,}, share of the descents: mean over the seeds (lowest to "
        "highest seed)",
        columns,
        tuple(rows),
    )
