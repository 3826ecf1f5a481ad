"""The options of `python app.py`, checked before anything heavy is imported; a wrong one ends in one sentence."""

from __future__ import annotations

import argparse
import errno
import hmac
import importlib.util
import os
import re
import socket
import ssl
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from shared.credentials import Sign, make_signer
from shared.hosting import Hosting, is_public

MOST_SEATS = 500
LARGEST_FILE = 2**20
"""Bytes of a file of names, passwords or certificates."""
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
    add("--sign-cert", type=readable, metavar="FILE",
        help="certificates, the signer's first: cards of generated pictures get Content Credentials")  # fmt: skip
    add("--sign-key", type=readable, metavar="FILE", help="the key of the first certificate of --sign-cert, in PEM")
    add("--cache", type=folder, metavar="DIR", help="folder for results, so that equal settings are measured once ever")
    add("--no-cache", action="store_true", help="measure equal settings again each time")
    options = parser.parse_args(arguments)
    for pair in ("ssl", "sign"):
        if bool(getattr(options, f"{pair}_cert")) != bool(getattr(options, f"{pair}_key")):
            parser.error(f"--{pair}-cert and --{pair}-key belong together, and one of them is missing")
    if options.sign_cert and importlib.util.find_spec("c2pa") is None:
        parser.error("--sign-cert needs the package c2pa-python, which is not installed here")
    if (options.workers or "").startswith("dask") and importlib.util.find_spec("distributed") is None:
        parser.error("--workers dask://... needs the package distributed, which is not installed here")
    if options.no_cache and options.cache:
        parser.error("--cache keeps results and --no-cache does not: give one of them")
    return options


def to_hosting(options: argparse.Namespace) -> Hosting:
    """How the options say that the gallery is hosted. Ends the program with one sentence where a file is of no use."""
    teacher = _text_of(options.teacher).strip() if options.teacher else ""
    if options.teacher and not teacher:
        raise SystemExit(f"The file {options.teacher} holds no password.")
    if options.ssl_cert:
        _check_https(options.ssl_cert, options.ssl_key)
    if options.cache:
        _check_folder(options.cache)
    return Hosting(
        seats=options.seats,
        public=is_public(options.host or os.environ.get("GRADIO_SERVER_NAME")),
        study_seconds=options.study_seconds,
        memory=0 if options.no_cache else 128,
        folder=options.cache,
        teacher=teacher,
        presenter=options.presenter,
        workers=options.workers or "",
        sign=_signer(options.sign_cert, options.sign_key) if options.sign_cert else None,
    )


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise SystemExit(f"The file {path} is no text in UTF-8.") from None


def _check_https(certificate: Path, key: Path) -> None:
    def ask() -> str:
        raise SystemExit(f"The key {key} is behind a password, which the gallery cannot give.")

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, ask)
    except ssl.SSLError as error:
        reason = {"KEY_VALUES_MISMATCH": "they do not belong together"}.get(error.reason or "", "they are no PEM files")
        raise SystemExit(f"{certificate} and {key} give no https: {reason}.") from None


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SystemExit(f"Results cannot be kept in {folder}: {(error.strerror or str(error)).lower()}.") from None


def _signer(certificate: Path, key: Path) -> Sign:
    try:
        return make_signer(certificate.read_bytes(), key.read_bytes())
    except ValueError as error:
        raise SystemExit(str(error)) from None


def check_address(options: argparse.Namespace) -> None:
    """Ends the program with one sentence where the server could not listen on the options' address, as when another
    program has the port. Call it before anything heavy is imported."""
    name = options.host or os.environ.get("GRADIO_SERVER_NAME") or "127.0.0.1"
    try:
        family, kind, _, _, address = socket.getaddrinfo(name, options.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just given up counts as free
            found.bind(address)
        if family == socket.AF_INET6:
            raise SystemExit(f"The gallery listens on IPv4 addresses alone, and {name} is of IPv6: try 0.0.0.0.")
    except UnicodeError:
        raise SystemExit(f"{name[:60]} is no name or address of this machine.") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SystemExit(f"Port {options.port} is taken by another program: choose one with --port.") from None
        reason = (error.strerror or str(error)).rstrip(".")
        raise SystemExit(f"The gallery cannot listen on {name}, port {options.port}: {reason}.") from None


def stay_offline() -> None:
    """Tells the Hub's client and transformers to ask nobody. Call it before they are imported."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"


def read_logins(path: Path) -> Callable[[str, str], bool]:
    """A function that says whether a name and password stand in the file. Raises SystemExit with one sentence."""
    known: dict[str, str] = {}
    for number, line in enumerate(_text_of(path).splitlines(), start=1):
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
        raise argparse.ArgumentTypeError(f"workers must be a number or dask://HOST:PORT, not {text[:40] or 'empty'}")
    return text


def readable(text: str) -> Path:
    """A file from the command line that is there and can be read."""
    path = Path(text)
    if not text:
        raise argparse.ArgumentTypeError("the name of a file is missing")
    try:
        if path.exists() and not path.is_dir() and not path.is_file():
            raise argparse.ArgumentTypeError(f"{text}: is no ordinary file")
        with path.open("rb"):
            size = path.stat().st_size
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise argparse.ArgumentTypeError(f"{text[:200]}: {reason.lower()}") from None
    if size > LARGEST_FILE:
        raise argparse.ArgumentTypeError(f"{text}: has {size:,} bytes, and at most {LARGEST_FILE:,} are read")
    return path


def folder(text: str) -> Path:
    """A folder from the command line, which need not be there yet."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a folder is missing")
    return Path(text)
