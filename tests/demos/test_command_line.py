"""The command line: the same comparison with no browser, help from Settings, one sentence for what is wrong."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from demos import __main__ as command_line
from demos.__main__ import join_values, main, time_left
from shared.demo import Demo

ROOT = Path(__file__).parents[2]
TINY = """
from __future__ import annotations

import time
from typing import Literal

import numpy as np
from PIL import Image

from shared.comparison import Comparison, Measure, Side
from shared.demo import Answer, Cancelled, Demo, DemoError, Prediction, Study, no_progress
from shared.settings import Settings, setting


class TinySettings(Settings):
    word: str = setting("hello", "Word", "What to say, 100% free.", max_length=12)
    size_a: int = setting(2, "size", "Side A's size.", side="a", ge=1, le=9)
    size_b: int = setting(4, "Size", ge=1, le=9)
    mode: Literal["fast", "slow"] = setting("fast", "Mode")
    strict: bool = setting(False, "Strict")


class GridSettings(Settings):
    values: tuple[float, ...] = setting((1.0, 2.5), "Values", "The cells.", max_length=50)
    pause: float = setting(0.0, "Pause", ge=0, le=5)


def side(label: str, value: float) -> Side:
    picture = Image.new("RGB", (8, 8), (int(value) * 20, 90, 200))
    return Side(label, (Measure.exact("area", value * value, "px", "higher"),), (picture, picture),
                arrays={"map": np.full((2, 2), value)}, captions=("", "again"))


def compare(settings: TinySettings, progress=None) -> Comparison:
    progress = progress or no_progress
    if settings.word == "refuse":
        raise DemoError("The word refuse can't be compared.")
    sizes = (settings.size_a, settings.size_b)
    for done in range(3):
        progress(done + 1, 3, "squares")
    takeaway = f"{settings.word}: {sizes[0]} against {sizes[1]}, {settings.mode}, {settings.strict}."
    sides = tuple(side(f"size {size}", size) for size in sizes)
    return Comparison("tiny", settings.model_dump(), sides, takeaway, {"device": "cpu"})


def grid(settings: GridSettings, progress=None) -> Comparison:
    sides, complete = [], True
    try:
        for done, value in enumerate(settings.values):
            (progress or no_progress)(done, len(settings.values), "cells")
            time.sleep(settings.pause)
            sides.append(side(f"value {value:g}", value))
    except Cancelled:
        if not sides:
            raise
        complete = False
    return Comparison("tiny", settings.model_dump(), tuple(sides), f"{len(sides)} cells.", {"device": "cpu"},
                      complete=complete)


ANSWERS = (Answer("A", lambda c: None), Answer("B", lambda c: None))
DEMO = Demo("tiny", "Tiny", "Is the larger square larger?", 1, TinySettings, compare, lambda: None,
            (Prediction("Which?", ANSWERS),), "None.", (), (Study("grid", "Squares in a grid", GridSettings, grid),))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one tiny demo, as SIDE_BY_SIDE_DEMOS takes it."""
    root = tmp_path_factory.mktemp("demos")
    (root / "tiny").mkdir()
    (root / "tiny" / "__init__.py").write_text(TINY)
    return root


@pytest.fixture
def tiny(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Demo:
    """The tiny demo as the only one."""
    spec = importlib.util.spec_from_file_location("tiny_demo", folder / "tiny" / "__init__.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tiny_demo", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(command_line, "all_demos", lambda: (module.DEMO,))
    return module.DEMO


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "SIDE_BY_SIDE_DEMOS": str(folder)}
    command = [sys.executable, "-m", "demos", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True)


def test_it_writes_card_numbers_arrays_and_plain_pictures(
    tiny: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "notes"
    arguments = ["--size-a", "3", "--size-b=5", "--word", "-hi there", "--mode", "slow", "--strict", "--out", str(out)]
    assert main(["tiny", *arguments]) == 0
    takeaway = "-hi there: 3 against 5, slow, True."
    printed = capsys.readouterr()
    assert takeaway in printed.out and "| area |" in printed.out
    assert "3 of 3 squares" in printed.err and "Wrote " in printed.err
    names = sorted(path.name for path in out.iterdir())
    assert names == ["arrays.npz", "card.png", "data.csv", "result.json", "side-a.png", "side-b.png"]
    settings = tiny.Settings(size_a=3, size_b=5, word="-hi there", mode="slow", strict=True)
    expected = tiny.compare(settings).to_dict()
    found = json.loads((out / "result.json").read_text())
    assert {key: found[key] for key in expected} == expected, "the same numbers as the function's own"
    assert [side["measures"][0]["value"] for side in found["sides"]] == [9, 25]
    with Image.open(out / "side-b.png") as picture:
        assert picture.size == (8, 8) and picture.getpixel((0, 0)) == (100, 90, 200)
        assert json.loads(picture.info["Settings"]) == found["settings"] and picture.info["Link"].startswith(
            "?demo=tiny"
        )
    with np.load(out / "arrays.npz") as arrays:
        assert sorted(float(value.mean()) for value in arrays.values()) == [3.0, 5.0]
    with (out / "data.csv").open(newline="") as file:
        assert any("25" in row for row in csv.reader(file))


def test_the_card_can_be_dark(tiny: Demo, tmp_path: Path) -> None:
    assert main(["tiny", "--out", str(tmp_path / "light")]) == 0
    assert main(["tiny", "--card-dark", "--out", str(tmp_path / "dark")]) == 0
    corners = []
    for name in ("light", "dark"):
        with Image.open(tmp_path / name / "card.png") as card:
            corners.append(np.asarray(card.convert("L"))[2, 2])
    assert corners[0] > 200 and corners[1] < 60


def test_without_a_folder_only_the_table_is_printed(tiny: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiny"]) == 0
    printed = capsys.readouterr()
    assert "hello: 2 against 4" in printed.out and "Wrote" not in printed.err


def test_a_study_runs_by_its_name_with_its_own_settings(tiny: Demo, tmp_path: Path) -> None:
    assert main(["tiny", "grid", "--values", "1, 2,3", "--out", str(tmp_path)]) == 0
    found = json.loads((tmp_path / "result.json").read_text())
    assert found["settings"]["values"] == [1.0, 2.0, 3.0] and found["complete"] is True
    assert [side["label"] for side in found["sides"]] == ["value 1", "value 2", "value 3"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["tiny", "--size-a", "0"], "size_a must be a whole number from 1 to 9, not 0."),
        (["tiny", "--size-a", "-1"], "size_a must be a whole number from 1 to 9, not -1."),
        (["tiny", "--size-a", "1e9"], "size_a must be a whole number from 1 to 9, not 1e9."),
        (["tiny", "--size-a", "nan"], "size_a must be a whole number from 1 to 9, not nan."),
        (["tiny", "--size-a", "🎲"], "size_a must be a whole number from 1 to 9, not 🎲."),
        (["tiny", "--mode", "quick"], "mode must be one of fast, slow, not quick."),
        (["tiny", "--word", "x" * 3000], "word may be up to 12 characters long, not 3,000."),
        (["tiny", "--strict", "perhaps"], "strict must be yes or no, not perhaps."),
        (["tiny", "--color", "red"], "Unrecognized arguments: --color red; “python -m demos tiny --help” shows"),
        (["tiny", "--size-a"], "Argument --size-a: expected one argument; “python -m demos tiny --help” shows"),
        (["tiny", "--size", "3"], "Unrecognized arguments: --size 3;"),
        (["tinny"], "There is no demo “tinny”; the demos are tiny."),
        (["tiny", "grit"], "tiny has no study “grit”; its studies are grid."),
        (["tiny", "grid", "--size-a", "3"], "Unrecognized arguments: --size-a 3; “python -m demos tiny grid --help”"),
    ],
)
def test_what_is_wrong_gets_one_sentence_and_status_2(
    tiny: Demo, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith(sentence) and printed.err.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_told_before_the_work(
    tiny: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["tiny", "--out", str(tmp_path / "file" / "x")]) == 2
    assert capsys.readouterr().err == f"The folder “{tmp_path / 'file' / 'x'}” can't be made: not a directory.\n"


def test_work_that_cannot_be_done_is_one_sentence_and_status_1(tiny: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tiny", "--word", "refuse"]) == 1
    assert capsys.readouterr().err == "The word refuse can't be compared.\n"


def test_help_is_made_from_settings(tiny: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["tiny", "--help"])
    assert caught.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Is the larger square larger?" in text
    assert "--word VALUE Word: What to say, 100% free (text; default hello)" in text
    assert "--size-a VALUE A size: Side A's size (a whole number from 1 to 9; default 2)" in text
    assert "--mode VALUE Mode (one of fast, slow; default fast)" in text
    assert "--strict [VALUE] Strict (yes or no; default false)" in text
    assert "python -m demos tiny grid ... Squares in a grid" in text
    with pytest.raises(SystemExit):
        main(["tiny", "grid", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "--values VALUE Values: The cells (a list of numbers; default 1,2.5)" in text and "--size-a" not in text


def test_no_arguments_list_the_demos(tiny: Demo, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    assert "Is the larger square larger?" in text and "tiny grid" in text


def test_a_value_may_begin_with_a_dash_but_an_option_is_no_value() -> None:
    options = ["--out", "--word"]
    assert join_values(["--word", "-x", "--out", "d"], options) == ["--word=-x", "--out=d"]
    assert join_values(["--word", "--out", "d"], options) == ["--word", "--out=d"]
    assert join_values(["--word", "--card-dark"], options) == ["--word", "--card-dark"]
    assert join_values(["--word"], options) == ["--word"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.1, "1 s"), (5, "5 s"), (89, "89 s"), (150, "2 min"), (5390, "1 h 30 min")]
)
def test_time_left_reads_as_people_say_it(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


def test_as_a_program_it_gives_status_2_and_no_trace(folder: Path) -> None:
    process = start(folder, "tiny", "--size-a", "12")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (2, "", "size_a must be a whole number from 1 to 9, not 12.\n")


def test_it_needs_no_gradio(folder: Path) -> None:
    code = (
        "import sys; from demos.__main__ import main; status = main(['tiny', '--out', sys.argv[1]]);"
        "assert status == 0 and 'gradio' not in sys.modules, status"
    )
    environment = {**os.environ, "SIDE_BY_SIDE_DEMOS": str(folder)}
    command = [sys.executable, "-c", code, str(folder / "out")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_interrupted_a_study_writes_what_it_has(folder: Path, tmp_path: Path) -> None:
    values = ",".join(str(n) for n in range(1, 41))
    process = start(folder, "tiny", "grid", "--values", values, "--pause", "0.25", "--out", str(tmp_path))
    assert process.stderr is not None
    for line in process.stderr:
        if " of 40 cells" in line and "left" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Stopping after this step" in err and "Traceback" not in err
    found = json.loads((tmp_path / "result.json").read_text())
    assert found["complete"] is False and 0 < len(found["sides"]) < 40
    assert f"{len(found['sides'])} cells." in out


def test_interrupted_before_anything_is_done_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    process = start(folder, "tiny", "grid", "--values", "1,2", "--pause", "5", "--out", str(tmp_path / "n"))
    deadline = time.monotonic() + 60
    while not (tmp_path / "n").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and err.endswith("Cancelled; nothing was written.\n") and "Traceback" not in err
    assert list((tmp_path / "n").iterdir()) == []
