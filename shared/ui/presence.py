"""Who asks, and whether they are still there: what Gradio knows of the event that is being handled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from gradio.context import LocalContext


def watch_client() -> Callable[[], bool]:
    """A function that says whether the client of the event handled now still listens. Call it inside the handler.

    Gradio marks an event as dead when its client's stream ends, but goes on with a handler that is no generator: such
    a handler has to ask. Without an event, as in a test, the client is taken to be there.
    """
    queue = getattr(LocalContext.blocks.get(None), "_queue", None)
    number = LocalContext.event_id.get(None)
    event = queue.event_ids_to_events.get(number) if queue is not None and number else None
    return lambda: event is None or bool(event.alive)


def visitor() -> str:
    """Whose run is handled now, for the limit on each visitor's runs: the name behind --auth, else the page's session,
    else, for calls that have no session of their own, the address they came from. Call it inside the handler."""
    request = LocalContext.request.get(None)
    if request is None:
        return ""
    if request.username:
        return f"user {request.username}"
    session = request.session_hash or ""
    if session and session != LocalContext.event_id.get(None):
        return f"session {session}"
    return f"address {request.client.host if request.client else ''}"


def forget_lone_session(after: float = 10.0) -> None:
    """Lets go, `after` so many seconds, of the page's state that Gradio made for a call without a session.

    It holds a copy of the whole page's configuration, over a megabyte, and nobody can ever use it again. Call it at the
    end of the handler.
    """
    number, request = LocalContext.event_id.get(None), LocalContext.request.get(None)
    holder = getattr(LocalContext.blocks.get(None), "state_holder", None)
    if holder is None or request is None or not number or request.session_hash != number:
        return
    asyncio.get_running_loop().call_later(after, _forget, holder, number)


def _forget(holder: Any, session: str) -> None:
    holder.session_data.pop(session, None)
    holder.time_last_used.pop(session, None)
