"""What a tab's buttons do: start a run, show its progress, cancel it, show its result or one sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from shared.comparison import Comparison
from shared.demo import Cancelled, Demo, Preset
from shared.settings import Settings, SettingsError
from shared.ui.controls import Controls, from_controls, to_control
from shared.ui.freshness import wire_check_after, wire_freshness, wire_predictions
from shared.ui.html import error_html, progress_html
from shared.ui.links import Link, query_pairs, read_link
from shared.ui.panel import Panel, Shown
from shared.ui.presence import visitor, watch_client
from shared.ui.running import CANCELLED, DEVICE_SLOT, Run, Step, Stopping, Waiting, follow, sentence_for

WAITING = '<p class="sbs-quiet">Waiting for its turn.</p>'
STARTING = '<p class="sbs-quiet">Starting, as soon as the device is free.</p>'
STOPPING = '<p class="sbs-quiet">Stopping after this step.</p>'
STOPPED = f'<p class="sbs-quiet">{CANCELLED}</p>'

INSTANT: Mapping[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
SHOW_RESULT = """() => {
  const tab = [...document.querySelectorAll('.sbs-tab')].find((t) => t.offsetParent);
  const told = tab && [...tab.querySelectorAll('.sbs-status')].some((status) => status.innerText.trim());
  if (!tab || told || window.innerWidth > 700) return;
  tab.querySelector('.sbs-right').scrollIntoView({behavior: 'smooth', block: 'start'});
}"""
"""On a phone the result lies below the button: go there, unless the run ended with a sentence."""
STARTS: Mapping[str, Any] = {"concurrency_limit": None, "show_progress": "hidden", "api_visibility": "private"}
"""For events that put a Run into the State: Gradio tells a State's change to the page only over the queue."""


@dataclass(frozen=True)
class Place:
    """Where a comparison or a study is set up and started: its controls, its two buttons, its line of status."""

    Settings: type[Settings]
    compute: Callable[..., Comparison]
    controls: Controls
    go: gr.Button
    stop: gr.Button
    status: gr.HTML
    gives_way: bool = False
    accordion: gr.Accordion | None = None
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.controls))

    def busy(self, status: str) -> dict[Any, Any]:
        """The place while a run is on: Compare has turned into Cancel."""
        return {self.go: gr.Button(visible=False), self.stop: gr.Button(visible=True), self.status: status}

    def idle(self, status: str = "") -> dict[Any, Any]:
        """The place when nothing runs."""
        return {self.go: gr.Button(visible=True), self.stop: gr.Button(visible=False), self.status: status}

    def fill(self, settings: Settings) -> dict[Any, Any]:
        """The controls holding these settings."""
        fields = self.Settings.model_fields
        return {c: to_control(fields[name], getattr(settings, name)) for name, c in self.controls.items()}


class Runner:
    """Wires a tab's places. Each session's run is in a State; a new Run in it starts the one event that computes."""

    def __init__(self, demo: Demo, panel: Panel, answers: Sequence[gr.Radio], places: Mapping[str, Place]) -> None:
        self.demo, self.panel, self.answers, self.places = demo, panel, list(answers), places
        self.run = gr.State(None)
        self._buttons = [c for p in places.values() for c in (p.go, p.stop, p.status)]
        for study, place in places.items():
            place.go.click(self._starter(study), self._read_by_start(place), self._started, **STARTS)
            place.stop.click(self._cancel, self.run, self._buttons, **INSTANT)
            wire_freshness(study, place.Settings, place.controls, panel, self.answers)
        done = self.run.change(
            self._execute, self.run, [*self._buttons, *panel.outputs],
            show_progress="hidden", api_visibility="private", concurrency_id=DEVICE_SLOT, concurrency_limit=None,
        )  # fmt: skip
        done.then(None, None, None, js=SHOW_RESULT, api_visibility="private")
        wire_check_after(done, {study: (place.Settings, place.controls) for study, place in places.items()}, panel)
        panel.show_me.click(panel.unfold, panel.shown, panel.outputs, **INSTANT)
        wire_predictions(places[""].Settings, places[""].controls, panel, self.answers)

    @property
    def _started(self) -> list[Any]:
        return [self.run, *self.answers, *self._buttons]

    def _read_by_start(self, place: Place) -> list[Any]:
        return [self.run, self.panel.shown, *self.answers, *place.controls.values()]

    def run_after(self, event: Any) -> None:
        """Runs the comparison after a Gradio event, with what the controls hold then."""
        place = self.places[""]
        event.then(self._starter(""), self._read_by_start(place), self._started, **STARTS)

    def wire_preset(self, preset: Preset, button: gr.Button) -> None:
        """A click on the button sets the preset's settings and runs them."""
        place, settings = self.places[""], self.demo.Settings.check(preset.settings)
        button.click(
            lambda run: place.fill(settings) | self._start("", settings, run),
            self.run,
            [*place.controls.values(), *self._started],
            **STARTS,
        )

    def wire_links(self, opener: gr.Button) -> None:
        """When the page opens with a link to this tab, it presses the opener: sets the link's settings and runs them.

        A page without a link must not do this: each component that an event may change costs the browser a walk through
        all components, and together they kept a page from answering for seconds.
        """
        controls = [c for p in self.places.values() for c in p.controls.values()]
        accordions = [p.accordion for p in self.places.values() if p.accordion is not None]
        opener.click(self._open, self.run, [*controls, *accordions, *self._started], **STARTS)

    def _starter(self, study: str) -> Callable[..., dict[Any, Any]]:
        place = self.places[study]

        def start(run: Run | None, shown: Shown | None, *values: Any) -> dict[Any, Any]:
            count = len(self.answers)
            try:
                settings = from_controls(place.Settings, dict(zip(place.names, values[count:], strict=True)))
            except SettingsError as error:
                return {place.status: error_html(str(error))}
            answers = () if study else self.panel.answers_for_next(shown, values[:count])
            return self._start(study, settings, run, answers=answers)

        return start

    def _start(
        self, study: str, settings: Settings, old: Run | None, reveal: bool = True, answers: tuple[Any, ...] = ()
    ) -> dict[Any, Any]:
        """A new Run in the State. A prediction that is not for it is taken back."""
        if old is not None:
            old.stop.set()
        run = Run(settings, study, reveal, answers)
        taken_back = {} if answers else dict.fromkeys(self.answers)
        return {self.run: run} | taken_back | self._all_idle() | self.places[study].busy(WAITING)

    def _open(self, run: Run | None, request: gr.Request) -> dict[Any, Any]:
        try:
            link: Link | None = read_link(query_pairs(request), (self.demo,))
        except SettingsError:
            link = None
        # A control left out would be made anew by Gradio, which then checks numbers itself and answers with an error.
        usual = {c: value for p in self.places.values() for c, value in p.fill(p.Settings()).items()}
        if link is None:
            return usual
        place = self.places[link.study]
        opened = {} if place.accordion is None else {place.accordion: gr.Accordion(open=True)}
        filled = usual | opened | ({} if link.settings is None else place.fill(link.settings))
        if link.settings is None or link.error:
            return filled | {place.status: error_html(link.error)}
        return filled | self._start(link.study, link.settings, run, reveal=not link.predict)

    def _cancel(self, run: Run | None) -> dict[Any, Any]:
        if run is None:
            return self._all_idle()
        run.stop.set()
        if run.claimed:
            # The run says the rest in its own stream: said here, it could reach the page after the run's last word.
            return {self.places[run.study].status: gr.skip()}
        return self.places[run.study].idle(STOPPED)

    async def _execute(self, run: Run | None) -> AsyncIterator[dict[Any, Any]]:
        if run is None or not run.claim():
            yield {self.places[""].status: gr.skip()}
            return
        place = self.places[run.study]
        if run.stop.is_set():
            yield place.idle(STOPPED)
            return
        yield place.busy(STARTING)
        try:
            work = follow(place.compute, run.settings, run.stop, place.gives_way, name=(self.demo.slug, run.study),
                          visitor=visitor(), there=watch_client())  # fmt: skip
            async with aclosing(work) as updates:
                async for update in updates:
                    if isinstance(update, Waiting):
                        yield {place.status: f'<p class="sbs-quiet">Busy: place {update.place} in line.</p>'}
                    elif isinstance(update, Step):
                        yield {place.status: progress_html(update.done, update.total, update.unit, update.seconds_left)}
                    elif isinstance(update, Stopping):
                        yield {place.status: STOPPING}
                    else:
                        peeked = run.reveal and not any(run.answers)
                        shown = Shown(update, run.study, run.reveal, run.settings, run.answers, peeked)
                        yield place.idle() | self.panel.update(shown)
        except Cancelled:
            yield place.idle(STOPPED)
        except Exception as error:
            yield place.idle(error_html(sentence_for(error)))

    def _all_idle(self) -> dict[Any, Any]:
        return {k: v for place in self.places.values() for k, v in place.idle().items()}
