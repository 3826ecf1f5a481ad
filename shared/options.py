"""The options of `python app.py`, checked before anything heavy is imported; a wrong one ends in one sentence."""

from __future__ import annotations

import argparse
import hmac
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from shared.hosting import Hosting, is_public

MOST_SEATS = 500
WORKERS = re.compile(r"\d{1,3}|dask://[A-Za-z0-9.\-\[\]:]+:\d{1,5}")


class Parser(argparse.ArgumentParser):
    """argparse, with its errors as one sentence."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with the sentence."""
        print(
            f"{message[:1].upper()}{message[1:].rstrip('.')}. “{self.prog} --help” names the options.", file=sys.stderr
        )
        raise SystemExit(2)


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line's options; ends the program with one sentence where one is wrong."""
    parser = Parser("python app.py", description="Opens the gallery in a local web server.")
    add = parser.add_argument
    add("--host", help="address to listen on; 127.0.0.1 by default, 0.0.0.0 for a whole network")
    add("--port", type=port, default=7860, help="port to listen on; 7860 by default")
    add("--auth", type=readable, metavar="FILE", help="only these may enter: a file with a line name:password for each")
    add("--ssl-cert", type=readable, metavar="FILE", help="certificate for https, with --ssl-key")
    add("--ssl-key", type=readable, metavar="FILE", help="the certificate's key")
    add("--offline", action="store_true", help="never ask the Hub for models; use what is on this machine")
    add("--presenter", action="store_true", help="larger type and no advanced controls, for a projector")
    add("--workers", type=workers, metavar="N", help="processes for a study's batches, or dask://HOST:PORT")
    add("--seats", type=seats, default=30, metavar="N", help="people at once; the line holds three runs for each; 30")
    add("--study-seconds", type=positive, default=180.0, metavar="S",
        help="how long a study may have the device where others can reach the gallery; 180")  # fmt: skip
    add("--teacher", type=readable, metavar="FILE",
        help="a file with the password behind which a workshop's predictions are shown and reset")  # fmt: skip
    add("--cache", type=Path, metavar="DIR", help="folder for results, so that equal settings are measured once ever")
    add("--no-cache", action="store_true", help="measure equal settings again each time")
    options = parser.parse_args(arguments)
    if bool(options.ssl_cert) != bool(options.ssl_key):
        parser.error("--ssl-cert and --ssl-key belong together, and one of them is missing")
    if (options.workers or "").startswith("dask") and importlib.util.find_spec("distributed") is None:
        parser.error("--workers dask://... needs the package distributed, which is not installed here")
    if options.no_cache and options.cache:
        parser.error("--cache keeps results and --no-cache does not: give one of them")
    return options


def to_hosting(options: argparse.Namespace) -> Hosting:
    """How the options say that the gallery is hosted. Ends the program where the teacher's file is empty."""
    teacher = options.teacher.read_text(encoding="utf-8").strip() if options.teacher else ""
    if options.teacher and not teacher:
        raise SystemExit(f"The file {options.teacher} holds no password.")
    return Hosting(
        seats=options.seats,
        public=is_public(options.host or os.environ.get("GRADIO_SERVER_NAME")),
        study_seconds=options.study_seconds,
        memory=0 if options.no_cache else 128,
        folder=options.cache,
        teacher=teacher,
        presenter=options.presenter,
        workers=options.workers or "",
    )


def stay_offline() -> None:
    """Tells the Hub's client and transformers to ask nobody. Call it before they are imported."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"


def read_logins(path: Path) -> Callable[[str, str], bool]:
    """A function that says whether a name and password stand in the file. Raises SystemExit with one sentence."""
    known: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, found, password = line.strip().partition(":")
        if not found or not name or not password:
            raise SystemExit(f"Line {number} of {path} must be name:password.")
        known[name] = password
    if not known:
        raise SystemExit(f"The file {path} names nobody: write a line name:password for each who may enter.")

    def may_enter(name: str, password: str) -> bool:
        right = known.get(name, "")
        return hmac.compare_digest(right.encode(), password.encode()) and bool(right)

    return may_enter


def port(text: str) -> int:
    """A port from the command line."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"a port must be a whole number from 1 to 65535, not {text[:20]}")
    return int(text)


def seats(text: str) -> int:
    """A number of seats from the command line."""
    if not text.isdecimal() or not 0 < int(text) <= MOST_SEATS:
        raise argparse.ArgumentTypeError(f"seats must be a whole number from 1 to {MOST_SEATS}, not {text[:20]}")
    return int(text)


def positive(text: str) -> float:
    """A number of seconds from the command line."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 1 <= found <= 86_400:
        raise argparse.ArgumentTypeError(f"seconds must be from 1 to 86,400, not {text[:20]}")
    return found


def workers(text: str) -> str:
    """Where studies compute: a number of processes, or an existing Dask cluster."""
    if not WORKERS.fullmatch(text):
        raise argparse.ArgumentTypeError(f"workers must be a number or dask://HOST:PORT, not {text[:40]}")
    return text


def readable(text: str) -> Path:
    """A file from the command line that is there and can be read."""
    path = Path(text)
    try:
        path.open("rb").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {(error.strerror or str(error)).lower()}") from None
    return path
