from __future__ import annotations

from pathlib import Path

import gradio as gr
from gradio.components.image_editor import EditorData
from gradio.data_classes import FileData
from PIL import Image, ImageDraw

from shared.settings import Settings, setting
from shared.ui.controls import draw_control


class Drawn(Settings):
    drawing: str | None = setting(None, "Draw", upload=True, control="sketch")
    said: str | None = setting(None, "Say", upload=True, files=(".wav",), control="sound")


def test_a_sketch_pad_hands_on_the_path_of_the_drawing(tmp_path: Path):
    picture = Image.new("RGBA", (280, 280), (0, 0, 0, 0))
    ImageDraw.Draw(picture).line([(60, 60), (220, 220)], fill="black", width=16)
    picture.save(tmp_path / "drawn.png")
    with gr.Blocks():
        pad = draw_control("drawing", Drawn.model_fields["drawing"])
        recorder = draw_control("said", Drawn.model_fields["said"])
    assert isinstance(pad, gr.ImageEditor) and isinstance(recorder, gr.Audio)
    path = pad.preprocess(EditorData(composite=FileData(path=str(tmp_path / "drawn.png")), layers=[], background=None))
    assert isinstance(path, str)
    with Image.open(path) as read:
        ink = read.convert("RGBA").getchannel("A")  # the ground stays transparent
        assert ink.getpixel((140, 140)) == 255 and ink.getpixel((10, 200)) == 0
    assert pad.preprocess(None) is None
