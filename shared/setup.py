"""Makes the virtual environment and opens the gallery or runs every check: the two commands of the README.

This file needs nothing but Python's standard library, and it can be read by a Python that is too old for the rest, so
that an old Python gets a sentence instead of a syntax error.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
OLDEST, NEWEST = (3, 11), (3, 13)
CHECKS = (
    ("lint", "ruff check"),
    ("format", "ruff format --check"),
    ("types", "pyright"),
    ("import rule", "lint-imports"),
    ("tests", "pytest"),
)
USAGE = "Use “python3 -m shared.setup open” to open the gallery or “python3 -m shared.setup test” to run the tests."


class SetupError(Exception):
    """What stands in the way, as one sentence for the person at the keyboard."""


def check_python(version: tuple[int, int]) -> None:
    """Raise SetupError for a Python that the requirements do not support, naming one at hand that they do."""
    if OLDEST <= version <= NEWEST:
        return
    names = [f"python3.{minor}" for minor in range(NEWEST[1], OLDEST[1] - 1, -1)]
    found = next((name for name in names if shutil.which(name)), None)
    advice = f"run the same command with {found}, which is installed" if found else "install one of them first"
    raise SetupError(f"The gallery needs Python 3.11, 3.12 or 3.13, and this is {version[0]}.{version[1]}: {advice}.")


def fingerprint(requirements: Path) -> str:
    """A hash of a requirements file, of the files it includes with -r, and of the Python version."""
    digest = hashlib.sha256(f"{sys.version_info[0]}.{sys.version_info[1]}\n".encode())
    waiting = [requirements]
    while waiting:
        path = waiting.pop()
        text = path.read_text(encoding="utf-8")
        digest.update(text.encode())
        waiting += [path.parent / line[3:].strip() for line in text.splitlines() if line.startswith("-r ")]
    return digest.hexdigest()


def environment_python(folder: Path) -> Path:
    """The Python of a virtual environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def made_by_this_python(folder: Path) -> bool:
    """Whether the virtual environment is whole and of the Python version that runs now."""
    try:
        lines = (folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    version = next((line.partition("=")[2].strip() for line in lines if line.startswith("version")), "")
    wanted = f"{sys.version_info[0]}.{sys.version_info[1]}."
    return version.startswith(wanted) and environment_python(folder).exists()


def prepare(name: str) -> Path:
    """The Python of the environment, which then has what the requirements file lists; installs only what changed.

    Raises SetupError where the environment can't be made or pip fails.
    """
    folder, requirements = ENVIRONMENT, ROOT / name
    python = environment_python(folder)
    stamp = folder / f"{name}.sha256"
    wanted = fingerprint(requirements)
    if not made_by_this_python(folder):
        print(f"Making a virtual environment in {folder.name}", flush=True)
        make_environment(folder)
    elif stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    print(f"Installing {name}: the first time takes some minutes", flush=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    if subprocess.call(command) != 0:
        raise SetupError(f"Installing {name} failed: the lines above say why; run the same command to try again.")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def make_environment(folder: Path) -> None:
    """Make the virtual environment anew. Raises SetupError where this Python can't."""
    try:
        venv.create(folder, clear=True, with_pip=True)
    except (OSError, subprocess.CalledProcessError, ImportError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        hint = f"apt-get install python3.{sys.version_info[1]}-venv"
        raise SetupError(
            f"The virtual environment could not be made ({type(error).__name__}); on Debian or Ubuntu “{hint}” helps."
        ) from None


def open_gallery(arguments: list[str]) -> int:
    """Start app.py in the environment with `arguments`; the answer is its exit status."""
    python = prepare("requirements.txt")
    return subprocess.call([str(python), "app.py", *arguments], cwd=ROOT)


def run_checks(arguments: list[str]) -> int:
    """Run every check, also after one has failed; `arguments` go to pytest. The answer is 0 if all passed, else 1."""
    python = prepare("requirements-dev.txt")
    tools = python.parent
    failed = []
    for name, command in CHECKS:
        tool, *options = command.split()
        print(f"\n== {name}: {command}", flush=True)
        extra = arguments if tool == "pytest" else []
        search_path = os.pathsep.join([str(tools), os.environ.get("PATH", "")])
        environment = {**os.environ, "PATH": search_path, "VIRTUAL_ENV": str(tools.parent)}
        if subprocess.call([str(tools / tool), *options, *extra], cwd=ROOT, env=environment) != 0:
            failed.append(name)
    print(f"\nFailed: {', '.join(failed)}" if failed else "\nAll checks passed", flush=True)
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """Do what the first argument says; the rest goes to app.py or pytest. The answer is the exit status."""
    try:
        check_python(sys.version_info[:2])
        actions = {"open": open_gallery, "test": run_checks}
        if not arguments or arguments[0] not in actions:
            raise SetupError(USAGE)
        return actions[arguments[0]](arguments[1:])
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
