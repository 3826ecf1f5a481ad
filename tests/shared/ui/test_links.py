"""Links: what they may hold, what they say when they are wrong, and that they lead back to the same settings."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from pydantic import model_validator

from shared.comparison import Comparison
from shared.demo import Answer, Demo, Prediction, Study
from shared.settings import Settings, SettingsError, setting
from shared.ui.links import KEPT, LONGEST_VALUE, query_of, read_link, whole_query


class Values(Settings):
    """Settings with a model, a list and an upload."""

    words: str = setting("", "Words")
    size: int = setting(3, "Size", ge=1, le=9)
    model: str = setting("auto", "Model", pattern="^[a-z_]+$")
    picture: str = setting("", "Picture", upload=True)


class Grid(Settings):
    """A study's settings."""

    levels: tuple[float, ...] = setting((1.0,), "Levels")


class Pair(Settings):
    """Two values that must go together."""

    words: str = setting("", "Words")
    least: int = setting(1, "Least")
    most: int = setting(9, "Most")

    @model_validator(mode="after")
    def _check_order(self) -> Pair:
        if self.least > self.most:
            raise ValueError(f"least must be at most most ({self.most}), not {self.least}.")
        return self


def never(settings: Settings, progress: object = None) -> Comparison:
    raise AssertionError("a link computes nothing")


DEMO = Demo(
    "tiny", "Tiny", "Which?", 1, Values, never, lambda: None,
    (Prediction("Which?", (Answer("A", lambda c: True), Answer("B", lambda c: False))),), "None.", (),
    (Study("grid", "Grid", Grid, never), Study("pair", "Pair", Pair, never)),
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
        ({"nose": "1"}, "There is no setting “nose”; the settings are words, size, model, picture."),
        ({"__proto__": "1"}, "There is no setting “__proto__”; the settings are words, size, model, picture."),
    ],
)
def test_a_wrong_value_is_named_and_the_good_ones_are_kept(query: dict[str, str], sentence: str) -> None:
    link = read_link({"demo": "tiny", "words": "kept"} | query, [DEMO])
    assert link is not None and link.settings == Values(words="kept")
    assert link.error.startswith(sentence) and link.error.endswith(KEPT)


def test_what_is_given_twice_is_named_and_left_out() -> None:
    link = read_link([("demo", "tiny"), ("size", "5"), ("size", "7"), ("words", "kept")], [DEMO])
    assert link is not None and link.settings == Values(words="kept")
    assert link.error.startswith("The link gives size 2 times: it takes one value.")
    link = read_link([("demo", "tiny"), ("demo", "tiny"), ("size", "5")], [DEMO])
    assert link is not None and link.error.startswith("The link gives demo 2 times") and link.settings == Values(size=5)


def test_several_faults_are_each_a_sentence_up_to_three() -> None:
    wrong = {"demo": "tiny", "size": "10", "model": "../x", "a": "1", "b": "2", "words": "kept"}
    link = read_link(wrong, [DEMO])
    assert link is not None and link.settings == Values(words="kept")
    assert link.error.count("There is no setting") + link.error.count("must be") == 3


def test_values_that_do_not_go_together_are_left_out_together() -> None:
    link = read_link({"demo": "tiny", "study": "pair", "least": "7", "most": "3", "words": "kept"}, [DEMO])
    assert link is not None and link.settings == Pair(words="kept")
    assert link.error.startswith("least must be at most most (3), not 7.")


def test_a_value_that_is_too_long_is_told() -> None:
    link = read_link({"demo": "tiny", "words": "x" * (LONGEST_VALUE + 1), "size": "5"}, [DEMO])
    assert link is not None and link.settings == Values(size=5)
    assert link.error.startswith("words is too long for a link: at most 20,000 characters.")


def test_a_wrong_study_is_one_sentence() -> None:
    link = read_link({"demo": "tiny", "study": "none"}, [DEMO])
    assert link is not None and link.settings is None
    assert link.error == "tiny has no study “none”; its studies are grid, pair."


def test_an_unknown_demo_is_refused() -> None:
    with pytest.raises(SettingsError, match="There is no demo “huge”; the demos are tiny"):
        read_link({"demo": "huge"}, [DEMO])


def test_a_copied_link_leads_back_and_names_the_model_only_where_it_is_not_the_usual_one() -> None:
    settings = Values(words="a & b = ü", size=7, picture="secret.png").model_dump()
    pairs = dict(parse_qsl(query_of(DEMO, "", settings, {"model": "sticker_diffusion"})))
    assert pairs == {"demo": "tiny", "words": "a & b = ü", "size": "7"}
    other = dict(parse_qsl(query_of(DEMO, "", settings, {"model": "other_one"})))
    assert other == pairs | {"model": "other_one"}
    link = read_link(other, [DEMO])
    assert link is not None and link.settings == Values(words="a & b = ü", size=7, model="other_one")


def test_a_notes_link_names_every_setting_but_uploads() -> None:
    settings = Values(size=7, picture="secret.png").model_dump()
    pairs = dict(parse_qsl(whole_query(DEMO, "", settings, {"model": "sticker_diffusion"})))
    assert pairs == {"demo": "tiny", "size": "7", "model": "sticker_diffusion"}
    assert whole_query(DEMO, "grid", {"levels": (1.0,)}, {}) == "demo=tiny&study=grid&levels=1"


def test_a_models_description_is_not_taken_for_its_name() -> None:
    assert query_of(DEMO, "", Values().model_dump(), {"model": "No Name, just words"}) == "demo=tiny"


def test_a_studys_link_names_it() -> None:
    assert query_of(DEMO, "grid", {"levels": (1.0, 2.5)}, {}) == "demo=tiny&study=grid&levels=1%2C2.5"
