"""One page for each demo to teach from, made from its question, predictions, presets and trap.

`python -m shared.lessons --out DIR [--url https://...]` writes a Markdown and an HTML file a demo.
"""

from __future__ import annotations

import argparse
import importlib
from html import escape
from itertools import groupby
from pathlib import Path
from urllib.parse import urlencode

from shared.demo import Demo, Preset

HERE = "http://127.0.0.1:7860/"
"""Where `python app.py` serves the gallery."""
RUN_WORDS = (
    "Open the link and let the room predict: an answer shows the numbers to whoever gives it. "
    "In a workshop the gallery's first page has the room's tally."
)
MINUTES_OPENING, MINUTES_PRESET, MINUTES_CLOSING = 5, 6, 5


def preset_link(demo: Demo, preset: Preset, url: str = "") -> str:
    """The workshop's link of a preset: it runs with the prediction not yet revealed."""
    query = demo.Settings.check(preset.settings).to_query()
    return f"{url}?{urlencode({'demo': demo.slug, **query, 'predict': '1'})}"


def to_markdown(demo: Demo, url: str = "") -> str:
    """The lesson plan of a demo as Markdown."""
    length = MINUTES_OPENING + MINUTES_PRESET * len(demo.presets) + MINUTES_CLOSING
    lines = [f"# {demo.title}: a lesson of about {length} minutes", "", f"**Question.** {demo.question}", ""]
    if demo.hint:
        lines += [f"**What is held equal.** {demo.hint}", ""]
    lines += [f"## Predict first ({MINUTES_OPENING} minutes)", ""]
    for prediction in demo.predictions:
        lines += [f"- {prediction.question} {' / '.join(answer.label for answer in prediction.answers)}"]
    lines += ["", "Everybody chooses before the numbers are shown. Ask two people with different answers why.", ""]
    lines += [f"## Run ({MINUTES_PRESET} minutes each)", ""]
    for number, preset in enumerate(demo.presets, start=1):
        point = f" {preset.confusion}" if preset.confusion else ""
        lines += [f"{number}. [{preset.title}]({preset_link(demo, preset, url)}).{point}".replace("..", ".")]
    lines += ["", RUN_WORDS, ""]
    lines += [f"## Close ({MINUTES_CLOSING} minutes)", "", f"**The trap.** {demo.trap}", ""]
    if demo.studies:
        titles = "; ".join(study.title for study in demo.studies)
        lines += [f"**With more time.** {titles}.", ""]
    lines += ["Each takes a card home: “Save card” under the result.", ""]
    return "\n".join(lines)


def to_html(demo: Demo, url: str = "") -> str:
    """The lesson plan as one HTML page that prints on one sheet."""
    blocks = [line for line in to_markdown(demo, url).splitlines() if line]
    body = "\n".join(
        f"<{kind}>{''.join(map(_block, lines))}</{kind}>" if kind else "\n".join(map(_block, lines))
        for kind, lines in groupby(blocks, _list_of)
    )
    return (
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(demo.title)}</title>"
        "<style>body{font:15px/1.45 system-ui,sans-serif;max-width:44em;margin:2em auto;padding:0 1em}"
        "@media print{@page{margin:14mm}body{font-size:9.5pt;line-height:1.35;max-width:none;margin:0;padding:0}}"
        "h1{font-size:1.4em}h2{font-size:1.1em;margin:1.1em 0 .3em}p,li{margin:.35em 0}"
        "ul,ol{padding-left:1.6em}</style>"
        f"<body>{body}</body></html>\n"
    )


def _list_of(line: str) -> str:
    """The HTML list that a line is an item of: "ul", "ol", or "" for none."""
    return "ul" if line.startswith("- ") else "ol" if line[:1].isdigit() else ""


def _block(line: str) -> str:
    level = len(line) - len(line.lstrip("#"))
    if level:
        return f"<h{level}>{escape(line[level:].strip())}</h{level}>"
    if not _list_of(line):
        return f"<p>{_words(line)}</p>"
    return f"<li>{_words(line.partition(' ')[2])}</li>"


def _words(line: str) -> str:
    start, found, rest = line.partition("](")
    if found:
        before, _, title = start.partition("[")
        address, _, after = rest.partition(")")
        return f"{escape(before)}<a href='{escape(address, quote=True)}'>{escape(title)}</a>{escape(after)}"
    parts = escape(line).split("**")
    return "".join(f"<b>{part}</b>" if i % 2 else part for i, part in enumerate(parts))


def main(arguments: list[str] | None = None) -> int:
    """Writes the plans of all demos into a folder."""
    parser = argparse.ArgumentParser("python -m shared.lessons", description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder for the pages")
    parser.add_argument("--url", default=HERE, help=f"address of the gallery, for the links; {HERE} by default")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for demo in importlib.import_module("demos").all_demos():
        (options.out / f"{demo.slug}.md").write_text(to_markdown(demo, options.url), encoding="utf-8")
        (options.out / f"{demo.slug}.html").write_text(to_html(demo, options.url), encoding="utf-8")
        print(options.out / f"{demo.slug}.html")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
