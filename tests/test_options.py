"""The options of app.py: what they make of the hosting, and one sentence for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.options import read_logins, read_options, to_hosting


def test_by_default_it_is_for_one_person_at_this_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACE_ID", raising=False)
    monkeypatch.delenv("GRADIO_SERVER_NAME", raising=False)
    found = to_hosting(read_options([]))
    assert (found.public, found.each, found.most_study_seconds, found.line) == (False, None, None, 90)
    assert found.folder is None and found.memory > 0 and found.teacher == "" and found.workers == ""


def test_where_others_reach_it_a_visitor_has_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    found = to_hosting(read_options(["--host", "0.0.0.0", "--seats", "5", "--study-seconds", "60"]))
    assert (found.public, found.each, found.most_study_seconds, found.line) == (True, 3, 60.0, 15)
    monkeypatch.setenv("SPACE_ID", "someone/gallery")
    assert to_hosting(read_options([])).public


def test_the_other_options_arrive(tmp_path: Path) -> None:
    (tmp_path / "teacher").write_text("chalk\n")
    found = to_hosting(
        read_options(
            [
                "--presenter",
                "--workers",
                "dask://127.0.0.1:8786",
                "--teacher",
                str(tmp_path / "teacher"),
                "--cache",
                str(tmp_path / "kept"),
            ]
        )
    )
    assert found.presenter and found.workers == "dask://127.0.0.1:8786" and found.teacher == "chalk"
    assert found.folder == tmp_path / "kept"
    assert to_hosting(read_options(["--no-cache"])).memory == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "x"], "Argument --port: a port must be a whole number from 1 to 65535, not x."),
        (["--seats", "0"], "Argument --seats: seats must be a whole number from 1 to 500, not 0."),
        (["--workers", "http://x"], "Argument --workers: workers must be a number or dask://HOST:PORT, not http://x."),
        (["--study-seconds", "nan"], "Argument --study-seconds: seconds must be from 1 to 86,400, not nan."),
        (["--auth", "nowhere"], "Argument --auth: nowhere: no such file or directory."),
        (["--ssl-cert", __file__], "--ssl-cert and --ssl-key belong together, and one of them is missing."),
        (["--cache", "x", "--no-cache"], "--cache keeps results and --no-cache does not: give one of them."),
        (["--share"], "Unrecognized arguments: --share."),
    ],
)
def test_a_wrong_option_gets_a_sentence(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_options(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{said} “python app.py --help” names the options.\n"


def test_only_those_in_the_file_may_enter(tmp_path: Path) -> None:
    (tmp_path / "logins").write_text("# the class\nada:love:lace\n\ngrace:hopper\n")
    may_enter = read_logins(tmp_path / "logins")
    assert may_enter("ada", "love:lace") and may_enter("grace", "hopper")
    assert not may_enter("grace", "") and not may_enter("nobody", "") and not may_enter("ada", "love")


@pytest.mark.parametrize(
    ("text", "said"), [("ada\n", "Line 1 of .* must be name:password"), ("# none\n", "names nobody")]
)
def test_a_file_of_logins_that_says_nothing_is_refused(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "logins").write_text(text)
    with pytest.raises(SystemExit, match=said):
        read_logins(tmp_path / "logins")
