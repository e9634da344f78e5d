"""What the peers are given to show, as NiceGUI sends it."""

import orjson

from tests.bench.peers import lab


def test_the_figures_can_be_sent():
    figures, rows = lab.compute(1.6)
    sent = orjson.loads(orjson.dumps([figures, rows], option=orjson.OPT_SERIALIZE_NUMPY))
    assert [len(figure["data"]) for figure in sent[0].values()] == [
        len(figure["data"]) for figure in figures.values()
    ]
