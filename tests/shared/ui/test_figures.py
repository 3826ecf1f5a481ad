"""A figure in words."""

from __future__ import annotations

import plotly.graph_objects as go

from shared.ui.figures import MOST_CHARACTERS, describe, figure_html


def curve(name: str = "ddim", points: int = 3) -> go.Figure:
    figure = go.Figure(go.Scatter(x=list(range(points)), y=[x / 10 for x in range(points)], name=name))
    figure.add_scatter(x=[0, 1], y=[9, 9], hoverinfo="skip", showlegend=False)
    figure.update_layout(xaxis={"title": "steps"}, yaxis={"title": {"text": "adherence ↑"}})
    return figure


def test_a_curve_names_its_axes_and_every_value_but_not_its_band() -> None:
    assert describe(curve()) == "A figure, across: steps, up: adherence ↑. ddim: 0 at 0, 0.1 at 1, 0.2 at 2."


def test_many_points_are_summed_up() -> None:
    assert "ddim: 100 points from 0 to 9.9." in describe(curve(points=100))


def test_a_heat_map_is_read_row_by_row() -> None:
    figure = go.Figure(go.Heatmap(x=["1", "5"], y=["10", "20"], z=[[0.5, None], [0.6, 0.9]]))
    assert describe(figure) == "A figure. Row 10: 0.5 at 1, nothing at 5. Row 20: 0.6 at 1, 0.9 at 5."


def test_words_are_escaped_and_never_endless() -> None:
    shown = figure_html(curve("<script>alert(1)</script>"))
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert len(describe(curve("long " * 2000))) == MOST_CHARACTERS


def test_what_is_no_plotly_figure_still_has_words() -> None:
    assert describe(object()) == "A figure."
