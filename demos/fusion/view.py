"""The tab's own part: what the models were given, to see and to hear, below the sides."""

from __future__ import annotations

import base64
import io
import wave
from html import escape
from typing import Any

import gradio as gr
import numpy as np
from gradio.components import Component
from PIL import Image

from demos.fusion import DEMO
from shared.comparison import Comparison
from shared.sound import RATE
from shared.ui.controls import Controls
from shared.ui.html import data_uri
from shared.ui.tab import View, build_tab

_INSTANT: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
_CSS = """
.given { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; font-size: 12px; line-height: 16px; }
.given figure { margin: 0; display: flex; align-items: center; gap: 8px; }
.given img { height: 64px; image-rendering: pixelated; border-radius: 4px; }
.given .gone { opacity: 0.35; }
.given figcaption { color: var(--sbs-muted); max-width: 150px; }
.given audio { height: 30px; width: 190px; }
.given p { margin: 0 !important; flex: 1 1 220px; color: var(--sbs-muted); }
"""


NO_MICROPHONE = (
    "This browser gives no microphone here: the page is not https, there is none, or it is not allowed. A sound file "
    "and the examples work all the same."
)
WHAT_TO_DRAW = "Draw one digit above, large; for the task both needed two, one in each half."
_TAKE_PEN_JS = """
let tries = 100;
const take = () => {
  const pen = document.querySelector('#sbs-fusion .sbs-field-drawing button[aria-label="Brush"]');
  if (pen) pen.click();
  else if (tries-- > 0) setTimeout(take, 200);
};
take();
"""
_LISTEN_JS = """
const note = element.querySelector('.no-microphone');
const tell = () => { note.hidden = false; };
const media = navigator.mediaDevices;
if (!window.isSecureContext || !media || !media.getUserMedia) tell();
else {
  media.enumerateDevices().then((all) => { if (!all.some((d) => d.kind === 'audioinput')) tell(); }, tell);
  if (navigator.permissions) navigator.permissions.query({name: 'microphone'}).then((found) => {
    if (found.state === 'denied') tell();
    found.onchange = () => { note.hidden = found.state !== 'denied'; };
  }, () => {});
}
"""


def build() -> None:
    """Draw the tab inside an open Gradio context."""
    given = View(_draw_given, given_html, studies=True)
    build_tab(DEMO, below={"drawing": _use_drawing, "recording": _use_recording}, views=[given])


def _use_drawing(controls: Controls) -> None:
    """Whoever draws wants the drawing read, and finds the pen in hand; below, what to draw."""
    pad: Any = controls["drawing"]
    pad.input(lambda: "drawn", None, controls["image"], **_INSTANT)
    gr.HTML(
        f'<p class="sbs-quiet">{escape(WHAT_TO_DRAW)}</p>',
        js_on_load=_TAKE_PEN_JS,
        apply_default_css=False,
        elem_classes=["sbs-tight"],
    )


def _use_recording(controls: Controls) -> None:
    """Whoever speaks, or chooses a file, wants it heard; below, a sentence that shows itself where the browser has no
    microphone to give."""
    recorder: Any = controls["recording"]
    recorder.stop_recording(lambda: "microphone", None, controls["audio"], **_INSTANT)
    recorder.upload(lambda: "file", None, controls["audio"], **_INSTANT)
    gr.HTML(
        f'<p class="sbs-quiet no-microphone" role="status" hidden>{escape(NO_MICROPHONE)}</p>',
        js_on_load=_LISTEN_JS,
        apply_default_css=False,
        elem_classes=["sbs-tight"],
    )


def _draw_given(comparison: Comparison | None) -> Component:
    return gr.HTML(
        given_html(comparison) if comparison else "",
        css_template=_CSS,
        apply_default_css=False,
        elem_classes=["sbs-tight", "sbs-given"],
    )


def given_html(comparison: Comparison) -> str:
    """The sample as the models get it, noise and all: picture, log-mel and sound; what was taken away is pale.

    Empty for a study, which has no one sample.
    """
    arrays = comparison.sides[0].arrays if comparison.sides else {}
    settings, stand_in = comparison.settings, str(comparison.settings.get("drop_as"))
    if "picture" not in arrays or "drop" not in settings:
        return ""
    gone = {m: settings["drop"] == m for m in ("image", "audio")}
    parts = []
    if settings["image"] != "none":
        picture = Image.fromarray((np.clip(arrays["picture"], 0, 1) * 255).astype(np.uint8))
        said = _said("picture", gone["image"], stand_in)
        parts.append(_figure(picture, said, gone["image"], "The picture, with its noise"))
    if settings["audio"] != "none":
        parts.append(
            _figure(draw_log_mel(arrays["log_mel"]), _said("sound", gone["audio"], stand_in), gone["audio"],
                    "The sound as a log-mel picture: time to the right, pitch upwards")
        )  # fmt: skip
        parts.append(
            f'<audio controls preload="none" aria-label="The sound, with its noise" '
            f'src="data:audio/wav;base64,{wave_of(arrays["sound"])}"></audio>'
        )
    kind = "Synthetic speech (espeak-ng), a voice never trained on. " if settings["audio"] == "chosen" else ""
    own = settings["image"] == "drawn" or settings["audio"] in ("microphone", "file")
    right = "only you know which digit is right" if own else "the underlined digit is right"
    note = f"{kind}Bars: outline before, filled after; {right}."
    return f'<div class="given">{"".join(parts)}<p>{escape(note)}</p></div>'


def _said(what: str, gone: bool, stand_in: str) -> str:
    if not gone:
        return f"the {what}, as the models get it"
    if stand_in == "mask token":
        return f"the {what}, taken away for the filled bars"
    return f"the {what}, replaced by {stand_in} for the filled bars"


def _figure(picture: Image.Image, caption: str, pale: bool, alt: str) -> str:
    name = ' class="gone"' if pale else ""
    image = f'<img{name} src="{data_uri(picture)}" alt="{escape(alt)}">'
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def draw_log_mel(log_mel: np.ndarray) -> Image.Image:
    """A log-mel [bands, frames] as a gray picture, low bands at the bottom, its own quietest black, its loudest white.

    On one scale for all, speech in loud noise would be white on white.
    """
    low, high = np.quantile(log_mel, (0.05, 0.99))
    shown = np.clip((log_mel[::-1] - low) / max(high - low, 0.5), 0, 1)
    return Image.fromarray((shown * 255).astype(np.uint8))


def wave_of(sound: np.ndarray) -> str:
    """A sound window at 8 kHz as a WAV file in base64, its loudest sample at 70%."""
    scaled = sound / max(1e-9, float(np.abs(sound).max())) * 0.7
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes((scaled * 32_767).astype("<i2").tobytes())
    return base64.b64encode(file.getvalue()).decode()
