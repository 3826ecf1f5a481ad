"""Links: what they may hold, what they say when they are wrong, and that they lead back to the same settings."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from shared.comparison import Comparison
from shared.demo import Answer, Demo, Prediction, Study
from shared.settings import Settings, SettingsError, setting
from shared.ui.links import LONGEST_VALUE, query_of, read_link


class Values(Settings):
    """Settings with a model, a list and an upload."""

    words: str = setting("", "Words")
    size: int = setting(3, "Size", ge=1, le=9)
    model: str = setting("auto", "Model", pattern="^[a-z_]+$")
    picture: str = setting("", "Picture", upload=True)


class Grid(Settings):
    """A study's settings."""

    levels: tuple[float, ...] = setting((1.0,), "Levels")


def never(settings: Settings, progress: object = None) -> Comparison:
    raise AssertionError("a link computes nothing")


DEMO = Demo(
    "tiny", "Tiny", "Which?", 1, Values, never, lambda: None,
    (Prediction("Which?", (Answer("A", lambda c: True), Answer("B", lambda c: False))),), "None.", (),
    (Study("grid", "Grid", Grid, never),),
)  # fmt: skip


def test_a_page_without_a_demo_has_no_link() -> None:
    assert read_link({"__theme": "dark"}, [DEMO]) is None


def test_settings_are_read_and_the_pages_own_words_left_out() -> None:
    link = read_link({"demo": "tiny", "size": "5", "__theme": "dark", "predict": "1"}, [DEMO])
    assert link is not None and link.settings == Values(size=5) and link.predict and not link.error


def test_a_study_is_read_with_its_own_settings() -> None:
    link = read_link({"demo": "tiny", "study": "grid", "levels": "1, 2.5"}, [DEMO])
    assert link is not None and (link.study, link.settings, link.predict) == ("grid", Grid(levels=(1, 2.5)), False)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"size": "10"}, "size must be a whole number from 1 to 9, not 10."),
        ({"model": "../etc"}, "model must be"),
        ({"picture": "/etc/passwd"}, "picture can't be given in a link: upload the file in the tab."),
        ({"words": "x" * (LONGEST_VALUE + 1)}, "words is too long for a link: at most 20,000 characters."),
        ({"study": "none"}, "tiny has no study “none”; its studies are grid."),
    ],
)
def test_a_wrong_link_opens_the_tab_with_one_sentence(query: dict[str, str], sentence: str) -> None:
    link = read_link({"demo": "tiny"} | query, [DEMO])
    assert link is not None and link.settings is None and link.error.startswith(sentence)


def test_an_unknown_demo_is_refused() -> None:
    with pytest.raises(SettingsError, match="There is no demo “huge”; the demos are tiny"):
        read_link({"demo": "huge"}, [DEMO])


def test_a_copied_link_has_the_resolved_model_and_leads_back() -> None:
    settings = Values(words="a & b = ü", size=7, picture="secret.png").model_dump()
    query = query_of(DEMO, "", settings, {"model": "sticker_diffusion"})
    pairs = dict(parse_qsl(query))
    assert pairs == {"demo": "tiny", "words": "a & b = ü", "size": "7", "model": "sticker_diffusion"}
    link = read_link(pairs, [DEMO])
    assert link is not None and link.settings == Values(words="a & b = ü", size=7, model="sticker_diffusion")


def test_a_models_description_is_not_taken_for_its_name() -> None:
    assert query_of(DEMO, "", Values().model_dump(), {"model": "No Name, just words"}) == "demo=tiny"


def test_a_studys_link_names_it() -> None:
    assert query_of(DEMO, "grid", {"levels": (1.0, 2.5)}, {}) == "demo=tiny&study=grid&levels=1%2C2.5"
