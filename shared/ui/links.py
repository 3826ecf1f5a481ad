"""Links that open a tab with settings and run it: `?demo=<slug>&<field>=<value>...`.

`study=<slug>` makes it a study's link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from shared.comparison import Comparison
from shared.demo import Demo
from shared.settings import Settings, SettingsError, look

LONGEST_VALUE = 20_000


@dataclass(frozen=True)
class Link:
    """What a link asks for. `settings` is None where a value is wrong: `error` says which."""

    demo: str
    settings: Settings | None = None
    study: str = ""
    predict: bool = False
    error: str = ""


def read_link(query: Mapping[str, str], demos: Sequence[Demo]) -> Link | None:
    """The link in a page's query, or None where it names no demo. Raises SettingsError for a demo that isn't there.

    Everything in a link is checked: names, values, length; a link never names an upload.
    """
    if "demo" not in query:
        return None
    demo = next((d for d in demos if d.slug == query["demo"]), None)
    if demo is None:
        raise SettingsError(
            f"There is no demo “{query['demo'][:40]}”; the demos are {', '.join(d.slug for d in demos)}."
        )
    rest = {k: v for k, v in query.items() if k not in ("demo", "study", "predict", "view") and not k.startswith("__")}
    predict = query.get("predict", "") not in ("", "0", "false")
    study = query.get("study", "")
    try:
        return Link(demo.slug, _read_settings(settings_of(demo, study), rest), study, predict)
    except SettingsError as error:
        known = study if any(s.slug == study for s in demo.studies) else ""
        return Link(demo.slug, None, known, predict, str(error))


def settings_of(demo: Demo, study: str) -> type[Settings]:
    """The Settings of the demo, or of its study of that slug. Raises SettingsError where there is none."""
    if not study:
        return demo.Settings
    found = next((s for s in demo.studies if s.slug == study), None)
    if found is None:
        known = ", ".join(s.slug for s in demo.studies) or "none"
        raise SettingsError(f"{demo.slug} has no study “{study[:40]}”; its studies are {known}.")
    return found.Settings


def query_of(demo: Demo, study: str, settings: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    """The link's query for a result: the settings that differ from the defaults, the model by its resolved name."""
    model = settings_of(demo, study)
    values = {k: v for k, v in settings.items() if k in model.model_fields}
    resolved = environment.get("model")
    if "model" in values and isinstance(resolved, str) and resolved:
        values["model"] = resolved
    try:
        query = model.check(values).to_query()
    except SettingsError:
        query = model.check({k: v for k, v in settings.items() if k in model.model_fields}).to_query()
    return urlencode({"demo": demo.slug, **({"study": study} if study else {}), **query})


def query_of_comparison(demo: Demo, study: str, comparison: Comparison) -> str:
    """`query_of` for a finished comparison."""
    return query_of(demo, study, comparison.settings, comparison.environment)


def _read_settings(model: type[Settings], query: Mapping[str, str]) -> Settings:
    for name, text in query.items():
        if len(text) > LONGEST_VALUE:
            raise SettingsError(f"{name[:40]} is too long for a link: at most {LONGEST_VALUE:,} characters.")
        info = model.model_fields.get(name)
        if info is not None and look(info).get("upload"):
            raise SettingsError(f"{name} can't be given in a link: upload the file in the tab.")
    return model.from_query(query)
