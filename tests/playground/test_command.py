"""``python -m lessons play``: files, standard input, JSON, refusals."""

import io
import json
from pathlib import Path

import pytest

from lessons.__main__ import main
from lessons.playground.document.as_text import from_text, to_text
from tests.playground.said import said


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["play", *arguments]) == 0
    return capsys.readouterr().out


def test_json_holds_values_gradients_and_the_document(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "noise.txt"
    text = "x = input([-2, 0])\nu = input(2)\ny = sqrt(x**2)\nz = stop_gradient(y) * u\n"
    file.write_text(text, encoding="utf-8")
    found = json.loads(printed(capsys, str(file), "--json"))
    assert found["values"] == {"x": [-2, 0], "u": 2, "y": [2, 0], "z": [4, 0]}
    assert found["gradients"]["trick_gradient"] == {"x": None, "u": 2}
    assert found["gradients"]["true_gradient"] == {"x": [-2, "nan"], "u": 2}
    assert to_text(from_text(text)) == found["document"]
    assert found["output"] == "z"
    assert any(said("starts_at_root") == note for note in found["notes"])
    assert len(found["curves"]["forward"]["x"]) == 121


def test_standard_input_and_presets_are_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = io.BytesIO(b"x = input(3)\ny = x**2\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(typed))
    assert "trick_gradient by x: 6" in printed(capsys, "-")
    assert "trick_gradient by x: [108]" in printed(capsys, "preset:halve")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = input(3)\ny = x – 1\n", said("at_place write_instead", "EN DASH")),
        ("x = input(3)\nshow(y, x)\ny = x * x\n", said("at_place show_is_last")),
        ("# t\nx = input(3)\n\ny = sqr(x)\n", said("at_place no_function", "4", "5")),
        ("title t\ninput x = 3\nprogram\n\ny = sqr(x)\n", said("at_place no_function", "5")),
        ("nonsense", said("no_inputs")),
        (b"\xff\xff", said("", "UTF-8")),
    ],
)
def test_a_wrong_document_is_one_line_of_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: bytes | str, words: said
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert main(["play", str(file)]) == 2
    error = capsys.readouterr().err
    assert words == error
    assert error.count("\n") == 1
    assert main(["play", str(tmp_path / "none.txt")]) == 2
    assert "No such file" in capsys.readouterr().err
