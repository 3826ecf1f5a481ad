"""What opening the page does to a tab's controls."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.utils import is_prop_update

from demos.guidance import DEMO
from shared.ui.tab import build_tab

USUAL = DEMO.Settings().model_dump()["guidance_b"]


@pytest.mark.parametrize(
    ("query", "scale"),
    [({}, USUAL), ({"demo": "guidance", "guidance_b": "3"}, 3), ({"demo": "guidance", "guidance_b": "99"}, USUAL),
     ({"demo": "guidance", "study": "sweep"}, USUAL), ({"demo": "nothing"}, USUAL)],
)  # fmt: skip
def test_opening_the_page_gives_every_control_a_plain_value(query: dict[str, str], scale: float) -> None:
    """Gradio makes a control anew that an event leaves out or updates, without our way of reading it."""
    with gr.Blocks():
        runner = build_tab(DEMO).runner
    request: Any = SimpleNamespace(query_params=query)
    given = runner._open(None, request)
    controls = [c for place in runner.places.values() for c in place.controls.values()]
    assert len(controls) > len(DEMO.Settings.model_fields)
    assert not [c for c in controls if c not in given or is_prop_update(given[c])]
    assert given[runner.places[""].controls["guidance_b"]] == scale
