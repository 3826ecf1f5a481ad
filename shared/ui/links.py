"""Links that open a tab with settings and run it: `?demo=<slug>&<field>=<value>...`.

`study=<slug>` makes it a study's link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from shared.comparison import Comparison
from shared.demo import Demo, DemoError
from shared.models import resolve
from shared.settings import Settings, SettingsError, as_text, look

OPENER = "sbs-open-"
"""The id, with a demo's slug, of the hidden button that opens a link to the demo's tab."""
FOLLOW = f"""() => {{
  const demo = new URL(window.location.href).searchParams.getAll('demo').pop();
  if (demo !== undefined) ['{OPENER}', `{OPENER}${{demo}}`].forEach((id) => document.getElementById(id)?.click());
}}"""
"""What the page does when it has come up: with a link it presses the gallery's opener and the demo's."""

LONGEST_VALUE = 20_000
MOST_FAULTS = 3
"""So many faults of a link are told."""


Query = Mapping[str, str] | Iterable[tuple[str, str]]
"""A page's query: its parameters by name, or as pairs, which may name one twice."""

GRADIOS_OWN = ("__theme", "__lang", "__sign", "__subdomain")
OUR_OWN = ("demo", "study", "predict", "view")
KEPT = "The link's other values are set here: press the button to run them."


@dataclass(frozen=True)
class Link:
    """What a link asks for. Where something in it is wrong, `error` says what in a sentence, and `settings` holds the
    values that are right; it is None only where the study that it names is not there."""

    demo: str
    settings: Settings | None = None
    study: str = ""
    predict: bool = False
    error: str = ""


def read_link(query: Query, demos: Sequence[Demo]) -> Link | None:
    """The link in a page's query, or None where it names no demo. Raises SettingsError for a demo that isn't there.

    Everything in a link is checked: names, values, length; a link never names an upload, and names nothing twice.
    """
    pairs = [(str(k), str(v)) for k, v in (query.items() if isinstance(query, Mapping) else query)]
    found = dict(pairs)
    if "demo" not in found:
        return None
    demo = next((d for d in demos if d.slug == found["demo"]), None)
    if demo is None:
        raise SettingsError(
            f"There is no demo “{found['demo'][:40]}”; the demos are {', '.join(d.slug for d in demos)}."
        )
    predict = found.get("predict", "") not in ("", "0", "false")
    study = found.get("study", "")
    try:
        model = settings_of(demo, study)
    except SettingsError as error:
        return Link(demo.slug, None, "", predict, str(error))
    settings, faults = _read_settings(model, [(k, v) for k, v in pairs if k not in (*OUR_OWN, *GRADIOS_OWN)])
    faults = _given_twice([(k, v) for k, v in pairs if k in OUR_OWN]) + faults
    return Link(demo.slug, settings, study, predict, " ".join([*faults, KEPT]) if faults else "")


def query_pairs(request: Any) -> list[tuple[str, str]]:
    """A page's query parameters as pairs, with those that are given twice (Starlette's `QueryParams`), or, of a request
    that went through another process, as it was left."""
    found = request.query_params
    return list(found.multi_items()) if hasattr(found, "multi_items") else list(dict(found).items())


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
    """The link's query for a result: the settings that differ from the defaults, the model by its resolved name where
    the default on this server is another one."""
    query = _checked(settings_of(demo, study), settings, environment).to_query()
    if query.get("model") and query["model"] == _usual_model(settings_of(demo, study)):
        del query["model"]
    return urlencode({"demo": demo.slug, **({"study": study} if study else {}), **query})


def whole_query(demo: Demo, study: str, settings: Mapping[str, Any], environment: Mapping[str, Any]) -> str:
    """A link's query with every setting but uploads, for a note that outlives this server's defaults."""
    checked = _checked(settings_of(demo, study), settings, environment)
    fields = {n: i for n, i in type(checked).model_fields.items() if not look(i).get("upload")}
    values = {name: getattr(checked, name) for name in fields}
    query = {name: as_text(value) for name, value in values.items() if value not in (None, "")}
    return urlencode({"demo": demo.slug, **({"study": study} if study else {}), **query})


def _checked(model: type[Settings], settings: Mapping[str, Any], environment: Mapping[str, Any]) -> Settings:
    """A result's settings, with the model by its resolved name where that is one that can be set."""
    values = {k: v for k, v in settings.items() if k in model.model_fields}
    resolved = environment.get("model")
    if "model" in values and isinstance(resolved, str) and resolved:
        try:
            return model.check(values | {"model": resolved})
        except SettingsError:
            pass  # a description of the model, not its name
    return model.check(values)


def _usual_model(model: type[Settings]) -> str:
    """What a demo's default model is on this server; empty where that can't be said."""
    default = model.model_fields["model"].get_default(call_default_factory=True)
    try:
        return resolve(default).name if isinstance(default, str) else ""
    except DemoError:
        return ""


def query_of_comparison(demo: Demo, study: str, comparison: Comparison) -> str:
    """`query_of` for a finished comparison."""
    return query_of(demo, study, comparison.settings, comparison.environment)


def _read_settings(model: type[Settings], pairs: Sequence[tuple[str, str]]) -> tuple[Settings, list[str]]:
    """The settings with every value that is right, and a sentence for each name or value that is wrong."""
    faults = _given_twice(pairs)
    names = [name for name, _ in pairs]
    values: dict[str, str] = {}
    for name, text in pairs:
        info = model.model_fields.get(name)
        if len(text) > LONGEST_VALUE:
            faults.append(f"{name[:40]} is too long for a link: at most {LONGEST_VALUE:,} characters.")
        elif info is not None and look(info).get("upload"):
            faults.append(f"{name} can't be given in a link: upload the file in the tab.")
        elif names.count(name) == 1:
            values[name] = text
    while True:
        try:
            return model.from_query(values), faults[:MOST_FAULTS]
        except SettingsError as error:
            faults.append(str(error))
            values = _without_fault(values, error)


def _without_fault(values: Mapping[str, str], error: SettingsError) -> dict[str, str]:
    """The values without the one that is wrong (a name without a side stands for both sides'), or, where values do not
    go together, without those that the sentence names; without any where that can't be told."""
    if error.field:
        named = {name for name in values if error.field == name or error.field.startswith(f"{name}_")}
    else:
        named = {name for name in values if name in str(error)}
    return {name: text for name, text in values.items() if name not in named} if named else {}


def _given_twice(pairs: Sequence[tuple[str, str]]) -> list[str]:
    names = [name for name, _ in pairs]
    return [
        f"The link gives {name[:40]} {names.count(name)} times: it takes one value."
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
