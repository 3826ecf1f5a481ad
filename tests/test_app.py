"""The start: nothing heavy comes with it, other Pythons are refused in one sentence, the page asks nobody outside."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "diffusers", "transformers", "umap", "plotly", "sklearn", "onnxruntime")


def run(code: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SIDE_BY_SIDE_DEMOS": str(ROOT / "tests" / "example_demos")}
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_building_the_page_imports_nothing_heavy() -> None:
    done = run(
        "import sys, app\n"
        "from demos import all_demos\n"
        f"heavy = lambda: [name for name in {HEAVY} if name in sys.modules]\n"
        "print(heavy())\n"
        "app.build_gallery(all_demos())\n"
        "print(heavy(), 'smoothing' in [demo.slug for demo in all_demos()])\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "[] True"]


def test_the_libraries_say_nothing_when_they_are_imported() -> None:
    done = run("import shared.sampling")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_onnx_runtime_starts_no_telemetry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its uploader leaves a session file in the temporary folder as soon as the library is there."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    assert run("import onnxruntime").returncode == 0
    watched = [path.name for path in tmp_path.iterdir()]
    for path in tmp_path.iterdir():
        path.unlink()
    assert run("import shared, onnxruntime").returncode == 0
    assert list(tmp_path.iterdir()) == [], f"(without our setting: {watched})"


def test_analytics_are_off_before_gradio_is_there() -> None:
    done = run("import app; from gradio import analytics; print(analytics.analytics_enabled())")
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize("version", [(3, 10, 0), (3, 14, 1), (2, 7, 18)])
def test_other_pythons_are_refused_in_one_sentence(version: tuple[int, int, int]) -> None:
    done = run(f"import sys; sys.version_info = {version}; exec(compile(open('app.py').read(), 'app.py', 'exec'))")
    assert done.returncode == 1
    found = ".".join(map(str, version[:2]))
    assert done.stderr == f"Side by Side needs Python 3.11, 3.12 or 3.13, and this is Python {found}.\n"


def test_old_pythons_can_read_the_refusal() -> None:
    ast.parse((ROOT / "app.py").read_text(), feature_version=(3, 4))


def test_help_names_the_options() -> None:
    done = subprocess.run([sys.executable, "app.py", "--help"], cwd=ROOT, capture_output=True, text=True)
    assert "--host" in done.stdout and "--port" in done.stdout and "--share" not in done.stdout


def test_a_page_that_opens_without_a_link_changes_no_component() -> None:
    """Each would cost the browser a walk through all of them: together they kept the page from answering for 8 s."""
    done = run(
        "import app\n"
        "from demos import all_demos\n"
        "found = app.build_gallery(all_demos()).get_config_file()['dependencies']\n"
        "loads = [d for d in found if any(event == 'load' for _, event in d['targets'])]\n"
        "print(len(loads), [len(d['outputs']) for d in loads])\n"
    )
    assert done.stdout == "1 [0]\n", done.stdout + done.stderr


def test_without_its_packages_it_names_the_command_that_installs_them() -> None:
    done = run(
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'gradio' else find(name, *rest)\n"
        "exec(compile(open('app.py').read(), 'app.py', 'exec'))"
    )
    assert done.returncode == 1 and "“python3 -m shared.setup open” installs it" in done.stderr
