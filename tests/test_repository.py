"""The repository as a whole: what a Space and a fresh machine need to be true of its files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared.model_rows import ROWS

ROOT = Path(__file__).parents[1]
TOP = {
    *("app.py", "demos", "shared", "assets", "tests", "requirements.txt", "requirements-dev.txt"),
    *("README.md", "LICENSE", "CONTRIBUTING.md", "pyproject.toml", "Dockerfile"),
}


def tracked() -> list[Path]:
    """Every file that git knows, or every file that is not ignored where the tree came without its history."""
    if not (ROOT / ".git").exists():
        return [p for p in ROOT.rglob("*") if p.is_file() and not {".venv", "__pycache__"} & set(p.parts)]
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def pins(name: str) -> dict[str, str]:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    found = [
        re.fullmatch(r"([\w-]+)(?:\[\w+\])?==([\w.]+)(?:; .+)?", line)
        for line in lines
        if line and not line.startswith("-r")
    ]
    assert all(found), f"every line of {name} is pinned to one version"
    return {match[1]: match[2] for match in found if match}


def test_everything_is_pinned_and_torch_to_its_version() -> None:
    app, tests = pins("requirements.txt"), pins("requirements-dev.txt")
    assert app["torch"] == "2.13.0" and app["plotly"] < "7" and "ruff" in tests
    assert not app.keys() & tests.keys()


def test_the_front_matter_is_what_a_space_reads() -> None:
    text = (ROOT / "README.md").read_text()
    matter = text.split("---\n")[1]
    facts = dict(re.findall(r'^(\w+): "?([^"\n]+)"?$', matter, re.MULTILINE))
    assert facts["sdk"] == "gradio" and facts["app_file"] == "app.py" and facts["license"] == "apache-2.0"
    assert facts["sdk_version"] == pins("requirements.txt")["gradio"]
    assert facts["python_version"] == "3.11" and len(facts["short_description"]) <= 60
    assert "python3 -m shared.setup open\n" in text and "python3 -m shared.setup test\n" in text


def test_the_readme_lists_every_model_of_the_hub_with_its_licence() -> None:
    text = (ROOT / "README.md").read_text()
    listed = re.findall(r"^  - ([\w.-]+/[\w.-]+)$", text.split("---\n")[1], re.MULTILINE)
    assert set(listed) == {row.hub for row in ROWS if row.hub}
    for row in ROWS:
        if row.hub:
            assert f"| {row.hub} | {row.licence} | [model card](https://huggingface.co/{row.hub}) |" in text


def test_the_container_runs_as_an_ordinary_user_and_says_whether_it_is_well() -> None:
    lines = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line and not line.startswith("#")]
    kinds = [line.split()[0] for line in lines]
    assert kinds.index("USER") < kinds.index("HEALTHCHECK") < kinds.index("ENTRYPOINT")
    assert "root" not in lines[kinds.index("USER")] and not any("latest" in line for line in lines)
    assert set((ROOT / ".dockerignore").read_text().split()) >= {".git", ".venv", "tests"}


def test_files_that_the_readme_shows_are_there() -> None:
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text()
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert (ROOT / target).exists(), f"{document} names {target}"


def test_a_space_takes_the_tree_by_plain_git() -> None:
    sizes = {path: path.stat().st_size for path in tracked()}
    largest = max(sizes, key=lambda path: sizes[path])
    assert sizes[largest] < 9_000_000, largest
    assert sum(sizes.values()) < 60 * 1024 * 1024


def test_the_top_level_holds_only_what_the_layout_names() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in tracked()}
    assert {name for name in names if not name.startswith(".")} <= TOP


def test_the_command_line_lists_every_demo_without_gradio() -> None:
    code = (
        "import sys; from demos.__main__ import main; main([]); "
        "heavy = {'gradio', 'torch', 'diffusers', 'transformers', 'umap'} & set(sys.modules); assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    folders = [path.parent.name for path in (ROOT / "demos").glob("*/__init__.py")]
    assert all(f"\n  {name}" in done.stdout for name in folders)


@pytest.mark.parametrize(("in_ci", "outcome"), [("true", "1 failed, 1 passed, 1 skipped"), ("", "1 passed, 2 skipped")])
def test_a_skip_fails_in_ci_unless_it_needs_a_gpu(in_ci: str, outcome: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    cuda: x\n")
    (tmp_path / "test_x.py").write_text(
        "import pytest\n\n"
        "def test_passes(): pass\n\n"
        "def test_skips(): pytest.skip('no browser')\n\n"
        "@pytest.mark.cuda\n@pytest.mark.skipif(True, reason='no GPU')\ndef test_on_a_gpu(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {**os.environ, "CI": in_ci}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert re.search(rf"^{outcome} in ", done.stdout, re.MULTILINE), done.stdout
    assert ("which is a failure where CI=true: " in done.stdout) == bool(in_ci)


def test_no_stored_configuration_names_a_folder_of_its_makers_machine() -> None:
    configurations = [p for p in tracked() if p.suffix == ".json" and "assets" in p.parts]
    assert len(configurations) > 5
    assert [p.name for p in configurations if re.search(r'"_name_or_path": "[/~.]', p.read_text())] == []
