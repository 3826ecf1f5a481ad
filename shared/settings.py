"""Settings: the pydantic models that sliders, command line, API and links all read, and plain sentences for errors."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo


class Settings(BaseModel):
    """The base of every demo's and study's settings: frozen, nothing unknown, no NaN, text cut of blanks."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, str_strip_whitespace=True)

    @model_validator(mode="before")
    @classmethod
    def _tidy_values(cls, values: Any) -> Any:
        """Choices lose their blanks, text for a list is split at its commas; and Python counts true as 1: who writes
        it for a number has made a mistake, so it stays a word."""
        if not isinstance(values, Mapping):
            return values
        return {name: _tidy(value, cls.model_fields.get(str(name))) for name, value in values.items()}

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> Self:
        """The settings from raw values (link, command line, API, sliders). Raises SettingsError with one sentence."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            location = error.errors()[0]["loc"]
            raise SettingsError(explain(cls, error), str(location[0]) if location else "") from None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The settings from a link's or command line's strings; lists are comma-separated."""
        return cls.check(query)

    def to_query(self) -> dict[str, str]:
        """The settings that differ from the defaults, as strings for a link. Uploads stay out."""
        query: dict[str, str] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if value == info.get_default(call_default_factory=True) or look(info).get("upload"):
                continue
            query[name] = as_text(value)
        return query

    def work(self) -> float:
        """How much there is to compute, in a unit of the model's own, to be compared with another's of its kind: the
        product of the settings with `costs`, of lists (also those typed with commas) the number of entries."""
        found = 1.0
        for name, info in type(self).model_fields.items():
            value: Any = getattr(self, name)
            if look(info).get("costs"):
                value = value.split(",") if isinstance(value, str) else value
                found *= max(len(value) if isinstance(value, (list, tuple)) else value, 1)
        return found


class SettingsError(ValueError):
    """A wrong value; the message is one sentence that names the field, the value and what is allowed. `field` is the
    field's name, empty where values do not go together."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(" ".join(message.split()))  # one line, whatever was in the value
        self.field = field


def setting(
    default: Any,
    label: str,
    help: str = "",
    *,
    main: bool = False,
    group: str = "",
    side: Literal["a", "b", ""] = "",
    step: float | None = None,
    upload: bool = False,
    files: tuple[str, ...] = (),
    lines: int = 1,
    hidden: bool = False,
    control: Literal["", "sketch", "sound"] = "",
    not_offered: tuple[str, ...] = (),
    titles: Mapping[Any, str] | None = None,
    costs: bool = False,
    **bounds: Any,
) -> Any:
    """A field of Settings, with what the views need to draw it.

    `main` settings stand above "More"; `side` tints the control like the side it belongs to; `group` puts controls
    that share it into one row; an `upload` is a picture, or one of `files` (".csv", ...), or, by its `control`, what is
    drawn on a sketch pad or said into a microphone; choices that are `not_offered` are valid, but no control shows
    them; `titles` are what a control shows for choices; the work grows with a setting that `costs`, see `work`;
    `bounds` are pydantic's (ge, le, max_length, ...).
    """
    extra = {"label": label, "main": main, "group": group, "side": side, "step": step, "upload": upload, "files": files,
             "lines": lines, "hidden": hidden, "control": control, "not_offered": list(not_offered),
             "titles": dict(titles or {}), "costs": costs}  # fmt: skip
    return Field(default, title=label, description=help, json_schema_extra={"look": extra}, **bounds)


def look(info: FieldInfo) -> dict[str, Any]:
    """How a field is drawn: what `setting` was given, or nothing for a plain pydantic field."""
    extra = info.json_schema_extra
    found = extra.get("look", {}) if isinstance(extra, dict) else {}
    return dict(found) if isinstance(found, dict) else {}


def bounds(info: FieldInfo) -> tuple[float | None, float | None]:
    """The lowest and highest number that a field allows, None where there is no bound."""
    low = high = None
    step = 1 if info.annotation is int else 0  # more than 0 is at least 1 for a whole number
    for item in info.metadata:
        low = getattr(item, "ge", item.gt + step if hasattr(item, "gt") else low)
        high = getattr(item, "le", item.lt - step if hasattr(item, "lt") else high)
    return low, high


def choices(info: FieldInfo) -> tuple[Any, ...]:
    """The values of a field that is a Literal (or a list of them), else nothing."""
    annotation = info.annotation
    for candidate in (annotation, *typing.get_args(annotation)):
        if typing.get_origin(candidate) is Literal:
            return typing.get_args(candidate)
    return ()


def explain(model: type[BaseModel], error: ValidationError) -> str:
    """The first fault of a ValidationError as one plain sentence: the field, the value, what is allowed."""
    fault = error.errors()[0]
    name = str(fault["loc"][0]) if fault["loc"] else "the settings"
    info = model.model_fields.get(name)
    if fault["type"] == "extra_forbidden":
        return f"There is no setting “{_shown(name)}”; the settings are {', '.join(model.model_fields)}."
    if info is None:
        message = str(fault["msg"]).removeprefix("Value error, ")
        return message if message.endswith(".") else f"{message}."
    if fault["type"] == "value_error":
        message = str(fault["msg"]).removeprefix("Value error, ")
        return f"{name}: {message}" + ("" if message.endswith(".") else ".")
    if fault["type"] == "string_too_long":
        longest = fault.get("ctx", {}).get("max_length", 0)
        return f"{name} may be up to {longest:,} characters long, not {len(fault['input']):,}."
    if fault["type"] in ("too_long", "too_short"):
        context = fault.get("ctx", {})
        limit = context.get("max_length", context.get("min_length", 0))
        bound = "up to" if fault["type"] == "too_long" else "at least"
        noun = "entry" if limit == 1 else "entries"
        return f"{name} must have {bound} {limit} {noun}, not {context.get('actual_length', 0)}."
    return f"{name} must be {allowed(info)}, not {_shown(fault['input'])}."


def allowed(info: FieldInfo) -> str:
    """What a field allows, in words: "one of ddim, euler", "a whole number from 1 to 50"."""
    options = choices(info)
    if options:
        return f"{'a list of any' if _is_list(info.annotation) else 'one'} of {', '.join(map(str, options))}"
    low, high = bounds(info)
    kinds = {info.annotation, *typing.get_args(info.annotation)}
    nouns = {int: "whole number", float: "number"}
    found = next((noun for kind, noun in nouns.items() if kind in kinds), None)
    if _is_list(info.annotation):
        return f"a list of {found or 'word'}s"
    noun = f"a {found}" if found else "yes or no" if bool in kinds else "text"
    if low is not None and high is not None:
        return f"{noun} from {_digits(low)} to {_digits(high)}"
    if low is not None:
        return f"{noun} of at least {_digits(low)}"
    return f"{noun} of at most {_digits(high)}" if high is not None else noun


def _tidy(value: Any, info: FieldInfo | None) -> Any:
    if info is None:
        return value
    if isinstance(value, str):
        if _is_list(info.annotation):
            return [part.strip() for part in value.split(",") if part.strip()]
        return value.strip() if choices(info) else value
    if isinstance(value, (list, tuple)) and _is_list(info.annotation) and choices(info):
        return [part.strip() if isinstance(part, str) else part for part in value]
    if not isinstance(value, bool):
        return value
    kinds = {info.annotation, *typing.get_args(info.annotation)}
    return str(value).lower() if kinds & {int, float} and bool not in kinds else value


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**4000:  # longer ones Python refuses to print
        return "a number of more than 4,000 digits"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = _digits(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
    text = " ".join(text.split())
    if not text:
        return "empty"
    return text if len(text) <= 40 else f"{text[:37]}..."


def _digits(value: float) -> str:
    """A number for people: 0, 0.5, 2,147,483,647."""
    return f"{int(value) if isinstance(value, float) and value.is_integer() else value:,}"


def as_text(value: Any) -> str:
    """A setting's value as links and the command line write it; lists are comma-separated."""
    if isinstance(value, (list, tuple)):
        return ",".join(as_text(v) for v in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def _is_list(annotation: Any) -> bool:
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_is_list(a) for a in typing.get_args(annotation))
    return origin in (list, tuple)
