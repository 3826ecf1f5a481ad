"""Calls of the API over plain HTTP are looked at first: who calls wrongly gets one sentence instead of a bare 500."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.demo import Demo
from shared.settings import Settings, look
from shared.ui.api import default_of, models_by_endpoint

_log = logging.getLogger("side_by_side")
CALL = re.compile(r"/gradio_api/call/(v2/)?([^/]+)/?$")
NO_SENSE = "The gallery cannot make sense of this call: “Use via API” at the foot of its page shows how to call it."
LONGEST = 2**20
"""Bytes of a call's body. Settings are short; uploads do not come this way."""


class Refused(ValueError):
    """A call that can't be understood: the HTTP status, and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class CheckCalls:
    """ASGI middleware: checks the body of `POST /gradio_api/call/<endpoint>` and `.../call/v2/<endpoint>`.

    Positional calls that name fewer settings than there are get the defaults for the rest.
    """

    def __init__(self, app: ASGIApp, demos: Sequence[Demo]) -> None:
        self.app, self.models = app, models_by_endpoint(demos)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers wrong calls itself, hands everything else on."""
        call = CALL.search(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if call is None:
            await self.hand_on(scope, receive, send)
            return
        try:
            body = check_call(self.models, call[2], bool(call[1]), await read(receive))
        except Refused as refused:
            await JSONResponse({"error": str(refused)}, refused.status)(scope, receive, send)
            return
        headers = [(k, v) for k, v in scope["headers"] if k != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        await self.hand_on({**scope, "headers": headers}, replay(body, receive), send)

    async def hand_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets Gradio answer. Calls of its own paths that make no sense to it raise inside, which would be a bare 500:
        they get a sentence, and the log a line."""
        begun = False

        async def told(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, told)
        except Exception as error:
            if scope["type"] != "http" or begun:
                raise
            _log.warning("%s %s: %s: %s", scope["method"], scope["path"], type(error).__name__, str(error)[:200])
            await JSONResponse({"error": NO_SENSE}, 400)(scope, receive, send)


async def read(receive: Receive) -> bytes:
    """The body of a request. Raises Refused where it is too long."""
    parts, more = b"", True
    while more:
        message = await receive()
        parts += message.get("body", b"")
        more = message.get("more_body", False)
        if len(parts) > LONGEST:
            raise Refused(413, f"A call may have {LONGEST:,} bytes.")
    return parts


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives this body first, and then what comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def check_call(models: Mapping[str, type[Settings]], name: str, named: bool, body: bytes) -> bytes:
    """The body to hand on. Raises Refused: no such endpoint, no JSON, or a setting that is not there."""
    if name not in models:
        raise Refused(404, f"There is no endpoint “{name[:40]}”; the endpoints are {', '.join(models)}.")
    fields = {n: f for n, f in models[name].model_fields.items() if not look(f).get("upload")}
    try:
        found = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        raise Refused(422, f"The call of {name} must be JSON.") from None
    if not isinstance(found, dict):
        raise Refused(422, f"The call of {name} must be a JSON object.")
    if named:
        unknown = next((key for key in found if key not in fields), None)
        if unknown is not None:
            raise Refused(422, f"There is no setting “{unknown[:40]}”; the settings are {', '.join(fields)}.")
        return json.dumps(found).encode()
    return json.dumps({**found, "data": fill_up(name, fields, found.get("data"))}).encode()


def fill_up(name: str, fields: Mapping[str, Any], data: Any) -> list[Any]:
    """The settings of a positional call, the missing ones at the end with their defaults. Raises Refused."""
    if not isinstance(data, list) or len(data) > len(fields):
        raise Refused(422, f"“data” must be a list of up to {len(fields)} settings of {name}: {', '.join(fields)}.")
    return data + [default_of(info) for info in list(fields.values())[len(data) :]]
