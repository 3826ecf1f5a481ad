"""Forward strip, reverse strip and the noise level between them, on one axis of timesteps."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from demos.guidance.heat_maps import GREY

_LINE = "#2b8cc9"
_SIDE = 192  # pixels of a frame in the figure


def process_figure(
    alphas: np.ndarray, times: Sequence[int], forward: Sequence[Image.Image], reverse: Sequence[Image.Image]
) -> Any:
    """A plotly figure: both strips' frames at the same rising timesteps, below them the noise level
    sqrt(1 - alpha_bar). Time goes to the right in the forward strip and to the left in the reverse one."""
    import plotly.graph_objects as go

    count = len(times)
    between = np.linspace(0, count - 1, 20 * count)
    dense = np.rint(np.interp(between, range(count), times)).astype(int)
    figure = go.Figure()
    figure.add_scatter(
        x=between, y=_levels(alphas, dense), mode="lines", line={"color": _LINE, "width": 2}, customdata=dense,
        hovertemplate="timestep %{customdata}: %{y:.2f}<extra></extra>", showlegend=False,
    )  # fmt: skip
    figure.add_scatter(
        x=list(range(count)), y=_levels(alphas, np.array(times)), mode="markers", marker={"size": 8, "color": _LINE},
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip
    for frames, top, name in (
        (forward, 1.0, "forward →  a fixed schedule adds noise"),
        (reverse, 0.69, "← reverse  the U-Net takes it away"),
    ):
        for place, picture in enumerate(frames):
            figure.add_layout_image(
                source=_uri(picture), xref="x", yref="paper", x=place, y=top - 0.055, xanchor="center", yanchor="top",
                sizex=0.94, sizey=0.235, sizing="contain",
            )  # fmt: skip
        figure.add_annotation(
            text=name, xref="paper", yref="paper", x=0, y=top, xanchor="left", yanchor="top", showarrow=False
        )
    grid = {"gridcolor": "rgba(125,133,144,0.25)", "zeroline": False, "fixedrange": True}
    figure.update_layout(
        height=500,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": GREY, "size": 13},
        xaxis={**grid, "title": "timestep of the noise schedule", "range": [-0.5, count - 0.5],
               "tickvals": list(range(count)), "ticktext": [str(t) for t in times]},
        yaxis={**grid, "title": "noise level", "domain": [0, 0.37], "range": [-0.06, 1.08]},
    )  # fmt: skip
    return figure


def _levels(alphas: np.ndarray, times: np.ndarray) -> np.ndarray:
    return np.where(times > 0, np.sqrt(1 - alphas[times]), 0.0)


def _uri(picture: Image.Image) -> str:
    file = io.BytesIO()
    picture.resize((_SIDE, _SIDE), Image.Resampling.BICUBIC).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
