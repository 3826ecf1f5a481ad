"""The slice table of the shortcut study: accuracy by kind and background, one panel for each classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

INK = "#7f858c"


def slices(labels: np.ndarray, grounds: np.ndarray, right: np.ndarray, kinds: int, backgrounds: int) -> np.ndarray:
    """Accuracy by kind and background, float [kinds, backgrounds]; NaN where no picture shows the pair."""
    table = np.full((kinds, backgrounds), np.nan)
    for kind in range(kinds):
        for ground in range(backgrounds):
            here = (labels == kind) & (grounds == ground)
            if here.any():
                table[kind, ground] = right[here].mean()
    return table


def slice_figure(
    labels: np.ndarray, grounds: np.ndarray, right: Sequence[np.ndarray], titles: Sequence[str], kinds: Sequence[str],
    backgrounds: Sequence[str],
) -> Any:  # fmt: skip
    """A plotly figure with a heat map for each classifier, its accuracy written in every cell."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(1, len(right), subplot_titles=[f"{'AB'[i]}: {t}" for i, t in enumerate(titles)],
                           shared_yaxes=True, horizontal_spacing=0.06)  # fmt: skip
    for column, found in enumerate(right, start=1):
        table = slices(labels, grounds, found, len(kinds), len(backgrounds))
        text = [["" if np.isnan(v) else f"{v:.2f}" for v in row] for row in table]
        figure.add_trace(
            go.Heatmap(
                z=table, x=list(backgrounds), y=list(kinds), zmin=0, zmax=1, text=text, texttemplate="%{text}",
                colorscale="Cividis", showscale=column == len(right), colorbar={"title": "accuracy", "thickness": 10},
                hovertemplate="a %{y} on %{x}: %{z:.2f}<extra></extra>",
            ),
            1, column,
        )  # fmt: skip
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(autorange="reversed", showgrid=False)
    figure.update_layout(
        height=320, margin={"l": 60, "r": 10, "t": 34, "b": 40}, paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)", font={"color": INK, "size": 12},
    )  # fmt: skip
    figure.update_annotations(font_size=12)
    return figure
