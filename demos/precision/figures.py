"""Curves as plotly figures, drawn once for both themes: a line with markers for each side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shared.colors import SIDE_COLORS

GREY = "#808890"
SEEN_ON_BOTH = ("#2b8cc9", "#dd7526", "#c546d4", "#8a9a2a", "#2f9fa8", "#8f8a92")
"""The colors of sides A to F between their light and dark shade."""
_GRID = {"gridcolor": "rgba(125,133,144,0.25)", "zeroline": False, "fixedrange": True}


def lines(
    curves: Mapping[str, Sequence[tuple[float, float, float | None, float | None]]],
    x: str,
    y: str,
    *,
    level: float | None = None,
    level_name: str = "",
    log: bool = False,
    log_x: bool = True,
) -> Any:
    """A figure of curves (value, measured, low, high); `level` is a horizontal line with its name."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for i, (name, points) in enumerate(curves.items()):
        color = SEEN_ON_BOTH[i % len(SEEN_ON_BOTH)]
        marker = SIDE_COLORS[i % len(SIDE_COLORS)][2]
        figure.add_scatter(
            x=[p[0] for p in points],
            y=[p[1] for p in points],
            name=name,
            mode="lines+markers",
            line={"color": color, "width": 2},
            marker={"symbol": marker, "size": 8, "color": color},
            error_y=_errors(points, color),
            hovertemplate="%{x:g}: %{y:.3g}<extra>" + name + "</extra>",
        )
    if level is not None:
        figure.add_hline(y=level, line={"color": GREY, "dash": "dash"}, annotation_text=level_name,
                         annotation_position="top left", annotation_font_color=GREY)  # fmt: skip
    values = sorted({p[0] for points in curves.values() for p in points})
    figure.update_layout(
        height=300, margin={"l": 60, "r": 10, "t": 14, "b": 50}, paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)", font={"color": GREY, "size": 13},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={**_GRID, "title": x, "type": "log" if log_x else "linear", "tickvals": values,
               "ticktext": [f"{v:g}" for v in values]},
        yaxis={**_GRID, "title": y, "type": "log" if log else "linear"},
    )  # fmt: skip
    return figure


def _errors(points: Sequence[tuple[float, float, float | None, float | None]], color: str) -> dict[str, Any] | None:
    if any(low is None or high is None for _, _, low, high in points):
        return None
    return {
        "type": "data", "symmetric": False, "color": color, "thickness": 1, "width": 3,
        "array": [(high or 0.0) - y for _, y, _, high in points],
        "arrayminus": [y - (low or 0.0) for _, y, low, _ in points],
    }  # fmt: skip


def bars(groups: Mapping[str, Sequence[tuple[str, float]]], y: str, *, stacked: bool = False) -> Any:
    """A figure of bars: for each group a bar in every column that it names."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for i, (name, columns) in enumerate(groups.items()):
        figure.add_bar(
            x=[c for c, _ in columns], y=[v for _, v in columns], name=name,
            marker={"color": SEEN_ON_BOTH[i % len(SEEN_ON_BOTH)]},
        )  # fmt: skip
    figure.update_layout(
        height=300, margin={"l": 60, "r": 10, "t": 14, "b": 50}, paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)", font={"color": GREY, "size": 13}, barmode="stack" if stacked else "group",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        xaxis={"fixedrange": True}, yaxis={**_GRID, "title": y},
    )  # fmt: skip
    return figure
