"""A control for every field of a Settings model, laid out as the fields' metadata says."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import gradio as gr
from gradio.components import Component
from pydantic.fields import FieldInfo

from shared.settings import Settings, bounds, choices, look

Controls = dict[str, Component]
Hook = Callable[[Controls], None]
"""Called right below a field's control, inside the column, with the controls drawn so far by field name."""

MOST_RADIO = 3
WIDEST_SLIDER = 10_000
LARGEST_EXACT = 2**53
"""Beyond this a browser's numbers skip some whole ones, so such a field is a text box."""


def draw_controls(
    model: type[Settings], *, main: bool | None = None, hooks: Mapping[str, Hook] | None = None
) -> Controls:
    """Draws the controls of a model's fields in their order, and returns them by field name.

    `main`: only the fields marked main (True), only the others (False), or all (None). Fields that share a `group`
    stand in one row, and rows of a side's settings in one box. `hooks` draw more below a field's row.
    """
    drawn: Controls = {}
    fields = [(n, f) for n, f in model.model_fields.items() if main is None or bool(look(f).get("main")) is main]
    fields = [(n, f) for n, f in fields if not look(f).get("hidden")]
    for boxed, rows in groupby(_rows(fields), key=lambda row: bool(look(row[0][1]).get("side"))):
        if boxed:
            with gr.Group(elem_classes="sbs-box"):
                _draw_rows(rows, drawn, {})
            for name in list(drawn):
                if hooks and name in hooks and look(model.model_fields[name]).get("side"):
                    hooks[name](drawn)
        else:
            _draw_rows(rows, drawn, hooks or {})
    return drawn


def _rows(fields: Sequence[tuple[str, FieldInfo]]) -> Iterator[list[tuple[str, FieldInfo]]]:
    for _, found in groupby(fields, key=lambda field: look(field[1]).get("group") or field[0]):
        yield list(found)


def _draw_rows(rows: Iterator[list[tuple[str, FieldInfo]]], drawn: Controls, hooks: Mapping[str, Hook]) -> None:
    for row in rows:
        if len(row) == 1:
            drawn[row[0][0]] = draw_control(*row[0])
        else:
            with gr.Row(elem_classes="sbs-pair"):
                for name, info in row:
                    drawn[name] = draw_control(name, info)
        for name, _ in row:
            if name in hooks:
                hooks[name](drawn)


def draw_control(name: str, info: FieldInfo) -> Component:
    """The control that suits a field's type and bounds, holding its default. Call it inside a Gradio context.

    It hands on whatever it holds: Settings alone checks values, and says what is wrong in its one sentence.
    """
    control = _make_control(name, info)
    if not look(info).get("upload"):
        control.preprocess = lambda payload: payload  # type: ignore[method-assign]
    return control


def _make_control(name: str, info: FieldInfo) -> Component:
    how = look(info)
    titles = how.get("titles") or {}
    options = [(str(titles.get(c, c)), c) for c in choices(info) if c not in how.get("not_offered", ())]
    default = to_control(info, info.get_default(call_default_factory=True))
    low, high = bounds(info)
    kinds = {info.annotation, *typing.get_args(info.annotation)}
    label = info.title or name.replace("_", " ")
    common: dict[str, Any] = {
        "label": f"{how['side'].upper()} {label}" if how.get("side") else label,
        "value": default,
        "elem_classes": ["sbs-control", f"sbs-field-{name}", *([f"sbs-in-{how['side']}"] if how.get("side") else [])],
        "min_width": 90,
        "info": info.description or None,
    }
    if how.get("upload"):
        common.pop("info")
        if how.get("control") == "sketch":
            return _sketch_pad(common)
        if how.get("control") == "sound":
            return gr.Audio(type="filepath", sources=["microphone", "upload"], buttons=[], **common)
        if how.get("files"):
            return gr.File(type="filepath", file_types=list(how["files"]), height=110, **common)
        return _picture(common)
    if is_list(info):
        return gr.Dropdown(options, multiselect=True, **common) if options else gr.Textbox(**common)
    if options:
        few = len(options) <= MOST_RADIO and not (how.get("side") or how.get("group"))
        return gr.Radio(options, **common) if few else gr.Dropdown(options, filterable=False, **common)
    if bool in kinds:
        return gr.Checkbox(**common)
    if kinds & {int, float}:
        if low is not None and high is not None and high - low <= WIDEST_SLIDER and type(None) not in kinds:
            step = how.get("step") or (1 if int in kinds else (high - low) / 100)
            return gr.Slider(low, high, step=step, buttons=[], **common)
        if int in kinds and (high is None or high > LARGEST_EXACT):
            common["value"] = _shown(default)
            return gr.Textbox(max_lines=1, **common)
        return gr.Number(**common)
    lines = int(how.get("lines") or 1)
    return gr.Textbox(lines=lines, max_lines=max(lines, 4), **common)


def _picture(common: Mapping[str, Any]) -> Component:
    """A picture to upload; it hands on the file's path unread, so that the demo's reader says what is wrong with it."""
    picture = gr.Image(type="filepath", height=160, **common)
    picture.preprocess = lambda payload: payload.path if payload else None  # type: ignore[method-assign]
    return picture


def _sketch_pad(common: Mapping[str, Any]) -> Component:
    """A square to draw on in black; it hands on the path of the finished drawing."""
    pad = gr.Sketchpad(
        type="filepath", canvas_size=(280, 280), height=320, show_label=False, layers=False, transforms=(),
        format="png", buttons=[],
        brush=gr.Brush(default_size=16, colors=["#000000"], color_mode="fixed"), **common,
    )  # fmt: skip
    read = pad.preprocess

    def read_composite(payload: Any) -> str | None:
        drawn = read(payload)
        return None if drawn is None or drawn["composite"] is None else str(drawn["composite"])

    pad.preprocess = read_composite  # type: ignore[method-assign, assignment]
    return pad


def to_control(info: FieldInfo, value: Any) -> Any:
    """A setting's value as its control wants it: lists without choices are text with commas."""
    if is_list(info):
        return list(value) if choices(info) else ", ".join(map(_shown, value))
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        return str(value)
    return value


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def from_controls(model: type[Settings], values: Mapping[str, Any]) -> Settings:
    """The settings that controls hold. Raises SettingsError with one sentence."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        info = model.model_fields[name]
        if is_list(info) and isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        if value is None and type(None) not in typing.get_args(info.annotation):
            value = ""
        found[name] = value
    return model.check(found)


def is_list(info: FieldInfo) -> bool:
    """Whether a field holds several values."""
    annotation = info.annotation
    parts = (
        typing.get_args(annotation)
        if typing.get_origin(annotation) in (typing.Union, types.UnionType)
        else (annotation,)
    )
    return any(typing.get_origin(part) in (list, tuple) for part in parts)
