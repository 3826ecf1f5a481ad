"""The same comparison with no browser: python -m demos <demo> [study] [--setting value ...] --out DIR."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from demos import all_demos
from shared.comparison import Comparison
from shared.demo import Cancelled, Demo, DemoError, Study
from shared.settings import Settings, SettingsError, allowed, as_text, look

DONE, FAILED, WRONG, CANCELLED = 0, 1, 2, 130
PROGRAM = "python -m demos"


class Usage(ValueError):
    """A command line that says nothing that can be run; the message is one sentence."""


class Parser(argparse.ArgumentParser):
    """argparse, with its errors as one sentence."""

    def error(self, message: str) -> NoReturn:
        """Raise Usage instead of printing the whole usage."""
        raise Usage(f"{message[:1].upper()}{message[1:]}; “{self.prog} --help” shows what is possible.")


class Reporter:
    """The progress callback: says on stderr how far the work is and how long it will take; stops it on Ctrl-C.

    A terminal gets one line that is written over, a file or pipe a line every `every` seconds.
    """

    def __init__(self, every: float = 5.0) -> None:
        self.cancelled = False
        self.terminal = sys.stderr.isatty()
        self.every = 0.1 if self.terminal else every
        self.start = self.last = time.monotonic()
        self.width = 0

    def __call__(self, done: int, total: int, unit: str) -> None:
        """Print, at most every so often, and raise Cancelled once Ctrl-C was pressed."""
        if self.cancelled:
            raise Cancelled
        now = time.monotonic()
        if now - self.last < self.every and done < total:
            return
        self.last = now
        line = f"{done:,} of {total:,} {unit}"
        if 0 < done < total:
            line += f", {time_left((now - self.start) / done * (total - done))} left"
        if self.terminal:
            print(f"\r{line:<{self.width}}", end="", file=sys.stderr, flush=True)
            self.width = len(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """End the line that was written over."""
        if self.terminal and self.width:
            print(file=sys.stderr)

    @contextmanager
    def catching_interrupts(self) -> Any:
        """Make the first Ctrl-C ask for a stop at the next step; a second one stops at once."""

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            self.cancelled = True
            signal.signal(signal.SIGINT, signal.default_int_handler)
            print("\nStopping after this step; press Ctrl-C again to stop at once.", file=sys.stderr, flush=True)

        before = signal.signal(signal.SIGINT, ask_to_stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self.close()


def time_left(seconds: float) -> str:
    """A duration as people say it: "5 s", "3 min", "2 h 10 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def flag(name: str) -> str:
    """The option of a setting: guidance_a is --guidance-a."""
    return f"--{name.replace('_', '-')}"


def make_parser(demo: Demo, study: Study | None) -> Parser:
    """The parser of a demo or study; every option but the last two comes from Settings."""
    model = study.Settings if study else demo.Settings
    studies = "".join(f"\n  {PROGRAM} {demo.slug} {s.slug} ...   {s.title}" for s in demo.studies)
    parser = Parser(
        prog=f"{PROGRAM} {demo.slug}{f' {study.slug}' if study else ''}",
        usage="%(prog)s [--setting VALUE ...] [--out DIR] [--card-dark]",
        description=study.title if study else demo.question,
        epilog=f"longer work of this demo:{studies}" if studies and not study else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    settings = parser.add_argument_group("settings")
    for name, info in model.model_fields.items():
        # A bare --flag means yes.
        optional: dict[str, Any] = {"nargs": "?", "const": "true"} if info.annotation is bool else {}
        settings.add_argument(
            flag(name), dest=f"setting:{name}", metavar="VALUE", help=describe(model, name), **optional
        )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--out", metavar="DIR", help="folder for card.png, result.json, data.csv, arrays.npz and the pictures"
    )
    output.add_argument("--card-dark", action="store_true", help="draw the card light on dark")
    return parser


def describe(model: type[Settings], name: str) -> str:
    """One setting for --help: what it is, what it allows, its default."""
    info = model.model_fields[name]
    side, title = look(info).get("side", "").upper(), info.title or name.replace("_", " ")
    title = f"{side} {title}" if side and not title.startswith(f"{side} ") else title
    what = f"{title}: {info.description}" if info.description else title
    kind = "a file" if look(info).get("upload") else allowed(info)
    default = info.get_default(call_default_factory=True)
    text = "none" if default is None else as_text(default) or "empty"
    return f"{what.rstrip('.')} ({kind}; default {text})".replace("%", "%%")


def join_values(arguments: Sequence[str], options: Sequence[str]) -> list[str]:
    """The arguments with "--name value" as "--name=value", so that a value may begin with a dash."""
    joined: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word in options and waiting and waiting[0].partition("=")[0] not in (*options, "--card-dark", "--help"):
            word = f"{word}={waiting.pop(0)}"
        joined.append(word)
    return joined


def find(arguments: Sequence[str]) -> tuple[Demo, Study | None, list[str]]:
    """The demo and the study that the first words name, and the arguments after them. Raises Usage."""
    demos = {demo.slug: demo for demo in all_demos()}
    slug, *rest = arguments
    if slug not in demos:
        raise Usage(f"There is no demo “{slug}”; the demos are {', '.join(demos)}.")
    demo = demos[slug]
    if not rest or rest[0].startswith("-"):
        return demo, None, rest
    studies = {study.slug: study for study in demo.studies}
    if rest[0] not in studies:
        known = f"its studies are {', '.join(studies)}" if studies else "it has no studies"
        raise Usage(f"{slug} has no study “{rest[0]}”; {known}.")
    return demo, studies[rest[0]], rest[1:]


def write(result: Comparison, folder: Path, dark: bool) -> list[Path]:
    """Write everything that the share bar offers, and each side's plain picture; the answer is the files."""
    from shared.colors import letter
    from shared.export import card_png, side_png, to_csv, to_json, to_npz

    contents: dict[str, bytes] = {
        "card.png": card_png(result, dark=dark),
        "result.json": to_json(result).encode(),
        "data.csv": to_csv(result).encode(),
    }
    if any(side.arrays for side in result.sides):
        contents["arrays.npz"] = to_npz(result)
    for index, side in enumerate(result.sides):
        if side.face:
            contents[f"side-{letter(index).lower()}.png"] = side_png(result, index)
    for name, content in contents.items():
        put(folder / name, content)
    return [folder / name for name in contents]


def put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: on a full disk an older one stays, and no half of the new one is left."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def run(work: Callable[..., Comparison], settings: Settings, reporter: Reporter) -> Comparison:
    """The comparison; Ctrl-C cancels it, and a study then gives what it has."""
    with reporter.catching_interrupts():
        return work(settings, progress=reporter)


def list_demos() -> str:
    """Every demo and study with its title, for a command line that names none."""
    lines = [f"usage: {PROGRAM} <demo> [study] [--setting value ...] --out DIR", ""]
    for demo in all_demos():
        lines.append(f"  {demo.slug:<24}{demo.question}")
        lines += [f"  {f'{demo.slug} {study.slug}':<24}{study.title}" for study in demo.studies]
    return "\n".join([*lines, "", f"“{PROGRAM} <demo> --help” shows the settings."])


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; the answer is the exit status: 2 for a wrong value, 130 when cancelled."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(list_demos())
        return DONE
    try:
        return compare(arguments)
    except (Usage, SettingsError) as error:
        print(error, file=sys.stderr)
        return WRONG
    except DemoError as error:
        print(error, file=sys.stderr)
        return FAILED
    except (Cancelled, KeyboardInterrupt):
        print("Cancelled; nothing was written.", file=sys.stderr)
        return CANCELLED


def compare(arguments: Sequence[str]) -> int:
    """Read the settings, compute, print the table, write the files."""
    demo, study, rest = find(arguments)
    parser = make_parser(demo, study)
    model = study.Settings if study else demo.Settings
    found = vars(parser.parse_args(join_values(rest, ["--out", *map(flag, model.model_fields)])))
    query = {key.partition(":")[2]: text for key, text in found.items() if ":" in key and text is not None}
    settings = model.from_query(query)
    folder = make_folder(found["out"]) if found["out"] else None
    result = run(study.run if study else demo.compare, settings, Reporter())
    print(f"{result.to_markdown()}\n{result.takeaway}")
    if folder:
        try:
            written = write(result, folder, found["card_dark"])
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            print(f"The files could not all be written to {folder}: {why}.", file=sys.stderr)
            return FAILED
        print(f"Wrote {', '.join(map(str, written))}", file=sys.stderr)
    if not result.complete:
        print("Cancelled; these are the parts that were complete.", file=sys.stderr)
        return CANCELLED
    return DONE


def make_folder(text: str) -> Path:
    """The folder for the output, made if it is missing. Raises Usage where that can't be."""
    folder = Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Usage(f"The folder “{text}” can't be made: {(error.strerror or str(error)).lower()}.") from None
    return folder


if __name__ == "__main__":
    # A terminal that can't show an arrow gets a question mark, not a trace.
    sys.stdout.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
    sys.stderr.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue]
    sys.exit(main(sys.argv[1:]))
