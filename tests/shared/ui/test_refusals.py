"""Calls over plain HTTP: one sentence for each kind of wrong call, and defaults for what a short one leaves out."""

from __future__ import annotations

import json

import pytest

from shared.settings import Settings, setting
from shared.ui.refusals import LONGEST, Refused, check_call


class Some(Settings):
    noise: float = setting(0.5, "Noise", ge=0, le=1)
    names: tuple[str, ...] = setting(("a",), "Names")
    file: str = setting("", "File", upload=True)


MODELS = {"some": Some, "some_study": Some}


@pytest.mark.parametrize(
    ("name", "named", "body", "status", "said"),
    [
        ("some", True, b'{"nois": 1}', 422, "There is no setting “nois”; the settings are noise, names."),
        ("some", True, b'{"file": "/etc/passwd"}', 422, "There is no setting “file”; the settings are noise, names."),
        ("other", True, b"{}", 404, "There is no endpoint “other”; the endpoints are some, some_study."),
        ("some", True, b"[1]", 422, "The call of some must be a JSON object."),
        ("some", True, b"{", 422, "The call of some must be JSON."),
        ("some", False, b"[" * 100_000, 422, "The call of some must be JSON."),
        ("some", False, b'{"data": [1, [], 3]}', 422,
         "“data” must be a list of up to 2 settings of some: noise, names."),
        ("some", False, b'{"dat": []}', 422, "“data” must be a list of up to 2 settings of some: noise, names."),
    ],
)  # fmt: skip
def test_a_wrong_call_gets_a_sentence(name: str, named: bool, body: bytes, status: int, said: str) -> None:
    with pytest.raises(Refused) as refused:
        check_call(MODELS, name, named, body)
    assert (refused.value.status, str(refused.value)) == (status, said)


def test_right_calls_go_on_and_short_ones_get_defaults() -> None:
    assert json.loads(check_call(MODELS, "some", True, b'{"noise": 0.1}')) == {"noise": 0.1}
    assert json.loads(check_call(MODELS, "some", True, b"")) == {}
    found = json.loads(check_call(MODELS, "some", False, b'{"data": [0.1], "session_hash": "s"}'))
    assert found == {"data": [0.1, ["a"]], "session_hash": "s"}
    assert LONGEST == 1_048_576
