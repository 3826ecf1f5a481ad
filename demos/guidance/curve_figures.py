"""Curves as plotly figures: one per measure, a line with its 95% band for each scheduler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from demos.guidance.heat_maps import GREY
from shared.colors import SIDE_COLORS
from shared.comparison import Measure, Side
from shared.table import spell

DRAWN = ("adherence", "reader_frechet_distance", "off_palette", "clip_score", "saturation")
_MARKERS = {"circle": "circle", "square": "square", "diamond": "diamond", "triangle-up": "triangle-up"}
_SEEN_ON_BOTH = ("#2b8cc9", "#dd7526", "#c546d4", "#8a9a2a")
"""The colors of sides A to D between their light and dark shade: a figure is drawn once for both themes."""


def value_of(side: Side) -> tuple[float, str]:
    """A point's value and scheduler, as its label has them."""
    found = re.fullmatch(r"(?:guidance )?([\d.]+)(?: steps?)? · (\S+)", side.label)
    assert found is not None, side.label
    return float(found[1]), found[2]


def curves_of(sides: Sequence[Side], name: str) -> dict[str, list[tuple[float, Measure]]]:
    """For each scheduler the values, rising, with what was measured there; points without the measure are left out."""
    found: dict[str, list[tuple[float, Measure]]] = {}
    for side in sides:
        value, scheduler = value_of(side)
        measured = side.measure(name)
        if measured is not None and measured.value is not None:
            found.setdefault(scheduler, []).append((value, measured))
    return {scheduler: sorted(points, key=lambda p: p[0]) for scheduler, points in found.items()}


def curve_figures(sides: Sequence[Side], vary: str) -> tuple[Any, ...]:
    """A figure for each measure that is drawn as a curve and that some curve has at two points at least."""
    found = {name: curves_of(sides, name) for name in DRAWN}
    return tuple(
        _figure(curves, name, vary) for name, curves in found.items() if any(len(p) > 1 for p in curves.values())
    )


def _figure(curves: dict[str, list[tuple[float, Measure]]], name: str, vary: str) -> Any:
    import plotly.graph_objects as go

    figure = go.Figure()
    values = sorted({x for points in curves.values() for x, _ in points})
    for index, (scheduler, points) in enumerate(curves.items()):
        color, marker = _SEEN_ON_BOTH[index], _MARKERS[SIDE_COLORS[index][2]]
        banded = [(x, m.low, m.high) for x, m in points if m.low is not None and m.high is not None]
        if banded:
            figure.add_scatter(
                x=[x for x, _, _ in banded] + [x for x, _, _ in reversed(banded)],
                y=[high for _, _, high in banded] + [low for _, low, _ in reversed(banded)],
                mode="lines", fill="toself", fillcolor=color, opacity=0.18, line={"width": 0}, hoverinfo="skip",
                showlegend=False,
            )  # fmt: skip
        figure.add_scatter(
            x=[x for x, _ in points], y=[m.value for _, m in points], name=scheduler, mode="lines+markers",
            line={"color": color, "width": 2}, marker={"symbol": marker, "size": 8, "color": color},
            hovertemplate="%{x:g}: %{y:.3g}<extra>" + scheduler + "</extra>",
        )  # fmt: skip
    arrow = {"higher": "↑", "lower": "↓"}.get(next(iter(curves.values()))[0][1].better, "")
    grid = {"gridcolor": "rgba(125,133,144,0.25)", "zeroline": False, "fixedrange": True}
    figure.update_layout(
        height=300,
        margin={"l": 60, "r": 10, "t": 14, "b": 50},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": GREY, "size": 13},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={**grid, "title": "guidance scale" if vary == "guidance" else "steps",
               "type": "linear" if vary == "guidance" else "log", "tickvals": values,
               "ticktext": [f"{v:g}" for v in values]},
        yaxis={**grid, "title": f"{spell(name)} {arrow}".strip()},
    )  # fmt: skip
    return figure
