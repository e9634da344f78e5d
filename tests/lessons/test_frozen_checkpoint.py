"""The checkpoint under a frozen embedding: what gets a gradient, runs again and learns."""

import warnings
from functools import partial

import pytest

from lessons.chapters.gone_missing.frozen_checkpoint.lesson import warning_of_torch
from tests.support import course

run = partial(course.run, "frozen_checkpoint")


@pytest.mark.parametrize("way", ["off", "reentrant", "other"])
@pytest.mark.parametrize("lookup", ["frozen", "woken", "trained"])
@pytest.mark.parametrize("since", ["1", "2"])
def test_a_reentrant_checkpoint_of_a_frozen_embedding_leaves_the_head_alone_a_gradient(
    way: str, lookup: str, since: str
) -> None:
    result, plain = (run(way=one, lookup=lookup, since=since) for one in (way, "off"))
    slopes = plain["trick_gradient"].y.tolist()
    dead = way == "reentrant" and lookup == "frozen" and since == "1"
    assert result["true_gradient"].y == pytest.approx(slopes)
    assert result["trick_gradient"].y == pytest.approx([0, 0, 0, slopes[3]] if dead else slopes)
    arrived = [not one for one in result.planes["missing"][1]]
    assert arrived == [lookup == "trained", not dead, not dead, True]
    assert result.facts["with_gradient"] == (1 if dead else result.facts["trained"])


def test_a_reentrant_checkpoint_is_one_op_and_its_adapter_is_not_in_the_graph() -> None:
    def graph(**given: str) -> list[str]:
        return str(run(**given).facts["graph_names"]).split("|")

    assert graph() == ["Pow", "Sub", "Mul", "head"]
    woken = graph(lookup="woken")
    assert woken.count("CheckpointFunction") == 2
    assert woken[-1] == "x"
    assert not {"adapter 1", "adapter 2"} & set(woken)
    assert graph(way="other") == graph(way="off")
    behind_layer_one = graph(since="2")
    assert behind_layer_one.count("CheckpointFunction") == 1
    assert "adapter 1" in behind_layer_one
    assert "adapter 2" not in behind_layer_one


def test_the_head_alone_brings_the_loss_down_and_more_slowly() -> None:
    result = run()
    own, plain = (
        next(one.y for one in result.curves if one.name == role)
        for role in ("trick_gradient", "true_gradient")
    )
    assert own[0] == plain[0] > own[-1] > plain[-1]
    frozen = run(way="other").curves
    assert frozen[0].y == pytest.approx(plain), "with a gradient it trains as without checkpoint"


def test_the_lab_changes_no_warning_filter() -> None:
    before = list(warnings.filters)
    run()
    warning_of_torch()
    assert list(warnings.filters) == before
