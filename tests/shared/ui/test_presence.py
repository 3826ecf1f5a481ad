"""Who asks and whether they are there, from what Gradio knows of the event; the state of lone calls is let go."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from gradio.context import LocalContext

from shared.ui.presence import forget_lone_session, visitor, watch_client


def handle(session: str | None, event: Any = None, username: str = "") -> SimpleNamespace:
    """Sets what Gradio sets around a handler of event "e1"; the blocks."""
    holder = SimpleNamespace(session_data={"e1": 1, "page": 2}, time_last_used={"e1": 1, "page": 2})
    queue = SimpleNamespace(event_ids_to_events={"e1": event} if event else {})
    blocks = SimpleNamespace(_queue=queue, state_holder=holder)
    client = SimpleNamespace(host="10.0.0.7")
    LocalContext.blocks.set(blocks)  # pyright: ignore[reportArgumentType]
    LocalContext.event_id.set("e1")
    LocalContext.request.set(SimpleNamespace(session_hash=session, username=username, client=client))  # pyright: ignore[reportArgumentType]
    return blocks


@pytest.fixture(autouse=True)
def after():
    yield
    LocalContext.blocks.set(None)
    LocalContext.event_id.set(None)
    LocalContext.request.set(None)


def test_a_client_is_there_until_gradio_says_it_has_gone() -> None:
    event = SimpleNamespace(alive=True)
    handle("page", event)
    there = watch_client()
    assert there()
    event.alive = False
    assert not there()
    handle("page")
    assert watch_client()()


def test_a_visitor_is_a_name_or_a_page_or_an_address() -> None:
    handle("page", username="ada")
    assert visitor() == "user ada"
    handle("page")
    assert visitor() == "session page"
    handle("e1")
    assert visitor() == "address 10.0.0.7"
    LocalContext.request.set(None)
    assert visitor() == ""


def test_the_state_of_a_call_without_a_session_is_let_go_and_a_pages_stays() -> None:
    async def end(session: str) -> dict[str, int]:
        blocks = handle(session)
        forget_lone_session(after=0.01)
        await asyncio.sleep(0.1)
        return blocks.state_holder.session_data

    assert asyncio.run(end("e1")) == {"page": 2}
    assert asyncio.run(end("page")) == {"e1": 1, "page": 2}
