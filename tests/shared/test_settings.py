"""Every wrong value gets one sentence with its name, the value and what is allowed; links read back as they were."""

from __future__ import annotations

import math
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import field_validator, model_validator

from shared.settings import Settings, SettingsError, allowed, as_text, bounds, choices, look, setting

Scheduler = Literal["ddim", "dpm++", "euler"]


class Sample(Settings):
    prompt: str = setting("a red car", "Prompt", "What to draw", main=True, max_length=50, lines=2)
    seed: int = setting(3, "Seed", ge=0, le=2**31 - 1)
    guidance: float = setting(7.5, "Guidance", ge=0, le=30, side="a", step=0.5)
    steps: int = setting(20, "Steps", gt=0, lt=101)
    least: float = setting(1.0, "At least", ge=1)
    most: int = setting(1, "At most", le=9)
    share: float = setting(0.5, "Share", ge=0.0, le=0.9)
    scheduler: Scheduler = setting("ddim", "Scheduler")
    rescale: bool = setting(False, "Rescale")
    values: tuple[float, ...] = setting((1.0, 3.5), "Values", min_length=1, max_length=8)
    kinds: tuple[Literal["cat", "dog"], ...] = setting(("cat",), "Kinds")
    upload: str | None = setting(None, "Picture", upload=True)

    @field_validator("prompt")
    @classmethod
    def refuse_shouting(cls, value: str) -> str:
        if value.endswith("!"):
            raise ValueError("leave out the exclamation mark")
        return value

    @model_validator(mode="after")
    def check_together(self) -> Sample:
        if self.seed == 13 and self.steps == 13:
            raise ValueError("Seed and steps can't both be 13")
        return self


def sentence(**values: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        Sample.check(values)
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text and len(text) < 300
    return text


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"guidance": 1e9}, "guidance must be a number from 0 to 30, not 1,000,000,000."),
        ({"guidance": -1}, "guidance must be a number from 0 to 30, not -1."),
        ({"guidance": math.nan}, "guidance must be a number from 0 to 30, not nan."),
        ({"guidance": True}, "guidance must be a number from 0 to 30, not true."),
        ({"seed": False}, "seed must be a whole number from 0 to 2,147,483,647, not false."),
        (
            {"seed": 10**5000},
            "seed must be a whole number from 0 to 2,147,483,647, not a number of more than 4,000 digits.",
        ),
        ({"guidance": 10**5000}, "guidance must be a number from 0 to 30, not a number of more than 4,000 digits."),
        ({"guidance": "nan"}, "guidance must be a number from 0 to 30, not nan."),
        ({"guidance": math.inf}, "guidance must be a number from 0 to 30, not inf."),
        ({"guidance": "seven"}, "guidance must be a number from 0 to 30, not seven."),
        ({"guidance": ""}, "guidance must be a number from 0 to 30, not empty."),
        ({"guidance": None}, "guidance must be a number from 0 to 30, not None."),
        ({"guidance": "7,5"}, "guidance must be a number from 0 to 30, not 7,5."),
        ({"seed": -1}, "seed must be a whole number from 0 to 2,147,483,647, not -1."),
        ({"seed": 2**70}, "seed must be a whole number from 0 to 2,147,483,647, not 1,180,591,620,717,411,303,424."),
        ({"seed": 1.5}, "seed must be a whole number from 0 to 2,147,483,647, not 1.5."),
        ({"seed": "🎲"}, "seed must be a whole number from 0 to 2,147,483,647, not 🎲."),
        ({"seed": [1, 2]}, "seed must be a whole number from 0 to 2,147,483,647, not [1, 2]."),
        ({"steps": 10_000}, "steps must be a whole number from 1 to 100, not 10,000."),
        ({"steps": 0}, "steps must be a whole number from 1 to 100, not 0."),
        ({"least": 0.5}, "least must be a number of at least 1, not 0.5."),
        ({"share": 2.5}, "share must be a number from 0 to 0.9, not 2.5."),
        ({"guidance": 2.0**70}, "guidance must be a number from 0 to 30, not 1,180,591,620,717,411,303,424."),
        ({"seed": 10**400}, f"seed must be a whole number from 0 to 2,147,483,647, not {f'{10**400:,}'[:37]}...."),
        ({"most": 10}, "most must be a whole number of at most 9, not 10."),
        ({"scheduler": "ddmp"}, "scheduler must be one of ddim, dpm++, euler, not ddmp."),
        (
            {"scheduler": "<b>x</b>" * 9},
            f"scheduler must be one of ddim, dpm++, euler, not {('<b>x</b>' * 9)[:37]}....",
        ),
        ({"rescale": "maybe"}, "rescale must be yes or no, not maybe."),
        ({"prompt": 5}, "prompt must be text, not 5."),
        ({"prompt": "é" * 3000}, "prompt may be up to 50 characters long, not 3,000."),
        ({"prompt": "go!"}, "prompt: leave out the exclamation mark."),
        ({"values": ["1", "x"]}, "values must be a list of numbers, not x."),
        ({"kinds": ["cow"]}, "kinds must be a list of any of cat, dog, not cow."),
        ({"values": [1] * 9}, "values must have up to 8 entries, not 9."),
        ({"values": []}, "values must have at least 1 entry, not 0."),
        ({"seed": 13, "steps": 13}, "Seed and steps can't both be 13."),
    ],
)
def test_a_wrong_value_gets_its_sentence(values: dict[str, Any], expected: str) -> None:
    assert sentence(**values) == expected


def test_an_unknown_setting_is_named_with_those_that_exist() -> None:
    text = sentence(guidence=3)
    assert text.startswith("There is no setting “guidence”; the settings are prompt, seed, guidance, steps,")
    assert "There is no setting “xxxxx" in sentence(**{"x" * 5000: 1})


def test_text_loses_its_outer_blanks_and_settings_do_not_change() -> None:
    settings = Sample.check({"prompt": "  a cat \n"})
    assert settings.prompt == "a cat"
    with pytest.raises(ValueError, match="frozen"):
        settings.seed = 4  # pyright: ignore[reportAttributeAccessIssue]


def test_the_defaults_give_an_empty_link() -> None:
    assert Sample().to_query() == {}
    assert Sample.from_query({}) == Sample()


def test_a_link_holds_what_differs_but_no_upload() -> None:
    settings = Sample(guidance=1, scheduler="dpm++", rescale=True, values=(2, 0.25), upload="x.png", prompt="a & b = c")
    assert settings.to_query() == {
        "prompt": "a & b = c",
        "guidance": "1",
        "scheduler": "dpm++",
        "rescale": "true",
        "values": "2,0.25",
    }


def test_lists_in_links_may_have_blanks_and_be_empty() -> None:
    assert Sample.from_query({"values": " 1, 2.5 ,,3"}).values == (1.0, 2.5, 3.0)
    assert Sample.from_query({"kinds": ""}).kinds == ()


numbers = st.floats(0, 30, allow_nan=False)


@given(
    st.builds(
        Sample,
        prompt=st.text(max_size=50).filter(lambda text: not text.strip().endswith("!")),
        seed=st.integers(0, 2**31 - 1),
        guidance=numbers,
        steps=st.integers(14, 100),
        scheduler=st.sampled_from(["ddim", "dpm++", "euler"]),
        rescale=st.booleans(),
        values=st.lists(numbers, min_size=1, max_size=6).map(tuple),
        kinds=st.lists(st.sampled_from(["cat", "dog"]), max_size=4).map(tuple),
    )
)
def test_every_setting_reads_back_from_its_link(settings: Sample) -> None:
    assert Sample.from_query(settings.to_query()) == settings


@given(st.dictionaries(st.sampled_from([*Sample.model_fields, "other"]), st.text(max_size=60)))
def test_any_link_gives_settings_or_one_sentence(query: dict[str, str]) -> None:
    try:
        settings = Sample.from_query(query)
    except SettingsError as error:
        assert str(error).endswith(".") and "\n" not in str(error)
    else:
        assert 0 <= settings.guidance <= 30 and 0 < settings.steps <= 100


def test_views_read_bounds_choices_and_looks() -> None:
    fields = Sample.model_fields
    assert bounds(fields["guidance"]) == (0, 30) and bounds(fields["prompt"]) == (None, None)
    assert choices(fields["scheduler"]) == ("ddim", "dpm++", "euler") and choices(fields["seed"]) == ()
    assert choices(fields["kinds"]) == ("cat", "dog")
    assert look(fields["guidance"])["side"] == "a" and look(fields["guidance"])["step"] == 0.5
    assert look(fields["prompt"])["main"] and look(fields["prompt"])["lines"] == 2
    assert allowed(fields["kinds"]) == "a list of any of cat, dog"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (7.5, "7.5"), (0.1 + 0.2, "0.30000000000000004"), (True, "true"), (False, "false"), ((1.0, 2), "1,2"),
     ("a", "a"), (2**31 - 1, "2147483647"), (1e-7, "1e-07")],
)  # fmt: skip
def test_values_as_text_lose_nothing(value: Any, text: str) -> None:
    assert as_text(value) == text
