"""Whether the result on view was made with what the controls hold now, and to which run a prediction belongs.

A prediction belongs to the settings that the controls held when it was made: to the result on view where they are that
result's, else to the next run. It is taken back once it has been used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import gradio as gr
from gradio.events import Dependency

from shared.settings import Settings, SettingsError, look
from shared.ui.controls import Controls, from_controls, to_control

if TYPE_CHECKING:
    from shared.ui.panel import Panel, Shown

INSTANT: Mapping[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
FOR_NEXT = "Your prediction is for the next run, with the settings on the left."
MOST_NAMED = 3


def changed_titles(model: type[Settings], made_with: Settings, held: Mapping[str, Any]) -> list[str]:
    """The labels of the controls that hold another value than the one that a result was made with."""
    fields = model.model_fields
    try:
        now = from_controls(model, held)
        names = [name for name in held if getattr(now, name) != getattr(made_with, name)]
    except SettingsError:
        names = [name for name, value in held.items() if to_control(fields[name], getattr(made_with, name)) != value]
    return [_title(fields[name], name) for name in names]


def stale_html(titles: Sequence[str], note: str = "") -> str:
    """The line above a result that was made with other settings than the controls hold; empty where it was not."""
    if not titles:
        return ""
    named = ", ".join(titles[:MOST_NAMED]) + (", ..." if len(titles) > MOST_NAMED else "")
    said = f"This result was made with other settings ({named}). {note}".strip()
    return f'<p class="sbs-stale" role="status">{escape(said)}</p>'


def wire_freshness(
    study: str, model: type[Settings], controls: Controls, panel: Panel, answers: Sequence[gr.Radio]
) -> None:
    """When one of a place's controls moves, marks its result on view, and takes back a prediction that was for it."""

    def mark(shown: Shown | None, *values: Any) -> dict[Any, Any]:
        now = shown or panel.first
        if now is None or now.study != study or now.settings is None:
            return {panel.stale: gr.skip()}
        chosen, held = values[: len(answers)], values[len(answers) :]
        titles = changed_titles(model, now.settings, dict(zip(controls, held, strict=True)))
        used = bool(titles) and any(chosen) and chosen == now.answers
        taken_back = dict.fromkeys(answers) if used else {}
        return {panel.stale: gr.HTML(stale_html(titles), visible=bool(titles))} | taken_back

    gr.on(
        [control.change for control in controls.values()],  # pyright: ignore[reportAttributeAccessIssue]
        mark, [panel.shown, *answers, *controls.values()], [panel.stale, *answers], trigger_mode="always_last",
        **INSTANT,
    )  # fmt: skip


def wire_check_after(event: Dependency, places: Mapping[str, tuple[type[Settings], Controls]], panel: Panel) -> None:
    """Marks the result on view anew after an event that may have changed it: a control can move while its run is on,
    and the answer to an earlier move can reach the page after the result."""

    def check(shown: Shown | None, *values: Any) -> Any:
        now, held = shown or panel.first, iter(values)
        by_place = {study: dict(zip(controls, held, strict=False)) for study, (_, controls) in places.items()}
        if now is None or now.settings is None:
            return gr.skip()
        titles = changed_titles(places[now.study][0], now.settings, by_place[now.study])
        return gr.HTML(stale_html(titles), visible=bool(titles))

    controls = [control for _, found in places.values() for control in found.values()]
    event.then(check, [panel.shown, *controls], panel.stale, **INSTANT)


def wire_predictions(model: type[Settings], controls: Controls, panel: Panel, answers: Sequence[gr.Radio]) -> None:
    """A prediction unfolds the result that it is for; one for the next run unfolds nothing, and the page says so."""

    def predict(shown: Shown | None, *values: Any) -> dict[Any, Any]:
        now = shown or panel.first
        chosen, held = values[: len(answers)], values[len(answers) :]
        if now is None or now.settings is None or now.study:
            return {panel.stale: gr.skip()}
        titles = changed_titles(model, now.settings, dict(zip(controls, held, strict=True)))
        if titles:
            return {panel.stale: gr.HTML(stale_html(titles, FOR_NEXT), visible=True)}
        return panel.unfold(shown, *chosen)

    for answer in answers:
        answer.input(predict, [panel.shown, *answers, *controls.values()], panel.outputs, **INSTANT)


def _title(info: Any, name: str) -> str:
    title, side = str(info.title or name.replace("_", " ")), look(info).get("side", "")
    return f"{side.upper()} {title}" if side else title
