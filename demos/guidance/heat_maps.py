"""A sweep as heat maps: one per measure, every value printed, the best cell and the cheapest near it marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from demos.guidance.sweep_takeaway import Marks, axes_of, marks
from shared.comparison import Side
from shared.table import format_value, spell

GREY = "#7d8590"
"""Read on a light and on a dark page."""
MOST = 8
BEST, TIED, CHEAPEST = "★", "☆", "◆"
LEGEND = f"{BEST} best · {TIED} best, tied with others<br>{CHEAPEST} fewest U-Net calls within 5% of it"


def heat_maps(sides: Sequence[Side]) -> tuple[Any, ...]:
    """A plotly figure for each measure that some cell has. Lighter cells are better."""
    names = dict.fromkeys(m.name for side in sides for m in side.measures if m.value is not None)
    if len(sides) < 2:
        return ()
    return tuple(_heat_map(sides, name) for name in list(names)[:MOST])


def _heat_map(sides: Sequence[Side], name: str) -> Any:
    import plotly.graph_objects as go

    cells = {axes_of(side): i for i, side in enumerate(sides)}
    across, down = sorted({g for g, _ in cells}), sorted({s for _, s in cells})
    found = marks(sides, name)
    first = next(m for side in sides if (m := side.measure(name)))
    grid = [[cells.get((g, s)) for g in across] for s in down]
    values = [[_value(sides, i, name) for i in row] for row in grid]
    texts = [[_text(sides, i, name, found) for i in row] for row in grid]
    figure = go.Figure(
        go.Heatmap(
            x=[f"{g:g}" for g in across], y=[str(s) for s in down], z=values, text=texts, texttemplate="%{text}",
            hovertemplate="guidance %{x}, %{y} steps: %{z:.3g}<extra></extra>", hoverongaps=False, xgap=2, ygap=2,
            colorscale="Cividis", reversescale=first.better == "lower",
            colorbar={"title": {"text": spell(name), "side": "right"}, "thickness": 12, "outlinewidth": 0,
                      "tickformat": ".3~g", "nticks": 5},
        )
    )  # fmt: skip
    figure.update_layout(
        height=170 + 44 * len(down),
        margin={"l": 60, "r": 10, "t": 14, "b": 102},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": GREY, "size": 13},
        xaxis={"title": f"guidance scale<br>{LEGEND}", "type": "category", "showgrid": False, "fixedrange": True},
        yaxis={"title": "steps", "type": "category", "showgrid": False, "fixedrange": True,
               "autorange": "reversed"},
    )  # fmt: skip
    return figure


def _value(sides: Sequence[Side], index: int | None, name: str) -> float | None:
    found = sides[index].measure(name) if index is not None else None
    return found.value if found else None


def _text(sides: Sequence[Side], index: int | None, name: str, found: Marks | None) -> str:
    if index is None:
        return ""
    measured = sides[index].measure(name)
    if measured is None or measured.value is None:
        return "–" if sides[index].images else "failed"
    mark = ""
    if found is not None:
        star = TIED if found.tied else BEST
        mark = (star if index in (found.best, *found.equal) else "") + (CHEAPEST if index == found.cheapest else "")
    return f"{format_value(measured.value, measured.unit)}{f' {mark}' if mark else ''}"
