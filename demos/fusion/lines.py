"""Panels of lines with bands, as one plotly figure that reads on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from demos.fusion.bars import GREY, SEEN_ON_BOTH
from shared.intervals import Interval

MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
GRID = "rgba(125,133,144,0.25)"


@dataclass(frozen=True)
class Line:
    """A named line: where, its values with intervals, and the place that gets a ring, if any."""

    name: str
    x: Sequence[float]
    y: Sequence[Interval]
    ring: float | None = None


def draw_lines(
    panels: Sequence[tuple[str, Sequence[Line]]], x_title: str, y_title: str, note: str = "", *, share: bool = True
) -> Any:
    """Panels next to each other, on one scale, each with its title, its lines and their 95% bands.

    Lines of the same name have the same color in every panel. `share`: values are from 0 to 1.
    """
    from plotly.subplots import make_subplots

    figure = make_subplots(
        cols=len(panels), rows=1, shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=[t for t, _ in panels]
    )
    names = list(dict.fromkeys(line.name for _, lines in panels for line in lines))
    for column, (_, lines) in enumerate(panels, start=1):
        for line in lines:
            _add(figure, line, names.index(line.name), column, show=column == 1)
    grid = {"gridcolor": GRID, "zeroline": False, "fixedrange": True, "title_font": {"size": 12}}
    figure.update_layout(
        height=310,
        margin={"l": 56, "r": 10, "t": 62, "b": 46},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": GREY, "size": 12},
        legend={"orientation": "h", "y": 1.14, "yanchor": "bottom", "x": 0},
    )
    figure.update_annotations(font={"size": 12, "color": GREY})
    figure.update_xaxes(**grid)
    figure.update_yaxes(**grid)
    if share:
        figure.update_yaxes(range=[0, 1.02])
    middle = (len(panels) + 1) // 2
    figure.update_xaxes(title_text=f"{x_title}{f' ({note})' if note else ''}", row=1, col=middle)
    figure.update_yaxes(title_text=y_title, row=1, col=1)
    return figure


def _add(figure: Any, line: Line, index: int, column: int, *, show: bool) -> None:
    color, marker = SEEN_ON_BOTH[index % 6], MARKERS[index % 6]
    banded = [(x, i.low, i.high) for x, i in zip(line.x, line.y, strict=True) if i.low is not None]
    if banded:
        figure.add_scatter(
            x=[x for x, _, _ in banded] + [x for x, _, _ in reversed(banded)],
            y=[high for _, _, high in banded] + [low for _, low, _ in reversed(banded)],
            mode="lines", fill="toself", fillcolor=color, opacity=0.16, line={"width": 0}, hoverinfo="skip",
            showlegend=False, row=1, col=column,
        )  # fmt: skip
    figure.add_scatter(
        x=list(line.x), y=[i.value for i in line.y], name=line.name, legendgroup=line.name, showlegend=show,
        mode="lines+markers", line={"color": color, "width": 2}, marker={"symbol": marker, "size": 7, "color": color},
        hovertemplate="%{x:g}: %{y:.3g}<extra>" + line.name + "</extra>", row=1, col=column,
    )  # fmt: skip
    ringed = [(x, i.value) for x, i in zip(line.x, line.y, strict=True) if line.ring is not None and x == line.ring]
    if ringed:
        figure.add_scatter(
            x=[ringed[0][0]], y=[ringed[0][1]], mode="markers", showlegend=False, hoverinfo="skip",
            marker={"symbol": "circle-open", "size": 16, "color": color, "line": {"width": 2}}, row=1, col=column,
        )  # fmt: skip
