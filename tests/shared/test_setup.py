"""The two commands of the README: the Pythons they take, what they reuse, what they say when stuck."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from shared import setup
from shared.setup import SetupError, check_python, fingerprint, main, prepare

ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own whose requirements are empty, with an environment to be made beside it."""
    (tmp_path / "requirements.txt").write_text("# nothing\n")
    (tmp_path / "requirements-dev.txt").write_text("-r requirements.txt\n")
    (tmp_path / "app.py").write_text("import sys\nsys.exit(int(sys.argv[1]) + len(sys.argv))\n")
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup, "ENVIRONMENT", tmp_path / ".venv")
    return tmp_path


def test_the_file_can_be_read_by_an_old_python_and_needs_only_the_standard_library() -> None:
    tree = ast.parse((ROOT / "shared" / "setup.py").read_text(), feature_version=(3, 8))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {*sys.stdlib_module_names}


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_supported_pythons_pass(version: tuple[int, int]) -> None:
    check_python(version)


@pytest.mark.parametrize(
    ("version", "found", "sentence"),
    [
        ((3, 14), None, "The gallery needs Python 3.11, 3.12 or 3.13, and this is 3.14: install one of them first."),
        ((3, 10), None, "The gallery needs Python 3.11, 3.12 or 3.13, and this is 3.10: install one of them first."),
        (
            (3, 9),
            "python3.12",
            "The gallery needs Python 3.11, 3.12 or 3.13, and this is 3.9: "
            "run the same command with python3.12, which is installed.",
        ),
    ],
)
def test_other_pythons_are_refused_in_one_sentence(
    version: tuple[int, int], found: str | None, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}" if name == found else None)
    with pytest.raises(SetupError) as caught:
        check_python(version)
    assert str(caught.value) == sentence


def test_an_old_python_gets_the_sentence_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup, "NEWEST", (3, 10))
    assert main(["open"]) == 2
    assert capsys.readouterr().err.startswith("The gallery needs Python 3.11")


@pytest.mark.parametrize("arguments", [[], ["run"], ["--help"]])
def test_another_word_gets_the_two_commands(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"{setup.USAGE}\n"


def test_the_fingerprint_follows_the_files_that_are_included(project: Path) -> None:
    before = fingerprint(project / "requirements-dev.txt"), fingerprint(project / "requirements.txt")
    (project / "requirements.txt").write_text("# something\n")
    after = fingerprint(project / "requirements-dev.txt"), fingerprint(project / "requirements.txt")
    assert before[0] != after[0] and before[1] != after[1] and after[0] != after[1]


def test_open_makes_the_environment_once_and_passes_arguments_on(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["open", "40", "x", "y"]) == 44, "app.py saw its own name and three arguments"
    assert "Making a virtual environment in .venv" in capfd.readouterr().out
    assert main(["open", "1"]) == 3
    assert capfd.readouterr().out == "", "nothing is made or installed again"
    (project / "requirements.txt").write_text("# changed\n")
    assert main(["open", "1"]) == 3
    assert capfd.readouterr().out.startswith("Installing requirements.txt")
    (project / ".venv" / "pyvenv.cfg").write_text("version = 3.8.1\n")
    assert main(["open", "1"]) == 3
    assert "Making a virtual environment" in capfd.readouterr().out, "an environment of another Python is made anew"


def test_what_pip_cannot_install_is_told_and_tried_again(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = project / ".venv"
    venv.create(folder, with_pip=True)
    (project / "requirements.txt").write_text("./no-such-folder\n")
    for _ in range(2):
        assert main(["open", "1"]) == 2
        assert "Installing requirements.txt failed: the lines above say why" in capfd.readouterr().err


def test_a_python_without_venv_gets_a_hint(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise subprocess.CalledProcessError(1, ["ensurepip"])

    monkeypatch.setattr(venv, "create", fail)
    with pytest.raises(
        SetupError, match=r"could not be made .* on Debian or Ubuntu “apt-get install python3\.\d+-venv”"
    ):
        prepare("requirements.txt")


def test_the_checks_go_on_after_a_failure_and_tell_it(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    tools = project / "tools"
    tools.mkdir()
    for name, status in {"ruff": 0, "pyright": 1, "lint-imports": 0, "pytest": 3}.items():
        (tools / name).write_text(f"#!/bin/sh\necho {name} ran with $*\nexit {status}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setattr(setup, "prepare", lambda name: tools / "python")
    assert main(["test", "-k", "settings"]) == 1
    out = capfd.readouterr().out
    said = [line for line in out.splitlines() if " ran with" in line]
    assert said == [
        "ruff ran with check",
        "ruff ran with format --check",
        "pyright ran with",
        "lint-imports ran with",
        "pytest ran with -k settings",
    ]
    assert out.endswith("Failed: types, tests\n")
