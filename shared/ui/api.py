"""One public endpoint per demo and per study: keyword arguments are the settings' fields, the answer is `to_dict()`."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

import gradio as gr

from shared.comparison import Comparison
from shared.demo import Demo
from shared.settings import Settings, SettingsError, look
from shared.ui.presence import forget_lone_session, visitor, watch_client
from shared.ui.running import DEVICE_SLOT, Step, Stopping, Waiting, follow, sentence_for


def add_endpoints(demo: Demo) -> None:
    """Adds `/<slug>` and `/<slug>_<study>` to the open Blocks. They share the device with the tabs."""
    _add((demo.slug, ""), demo.question, demo.Settings, demo.compare)
    for study in demo.studies:
        _add((demo.slug, study.slug), f"{study.title}. {demo.question}", study.Settings, study.run, study.gives_way)


def _add(
    name: tuple[str, str],
    about: str,
    model: type[Settings],
    compute: Callable[..., Comparison],
    gives_way: bool = False,
) -> None:
    gr.api(
        make_endpoint(name, about, model, compute, gives_way),
        api_name=endpoint_name(*name),
        concurrency_id=DEVICE_SLOT,
        concurrency_limit=None,
    )


def endpoint_name(demo: str, study: str) -> str:
    """The endpoint of a demo ("guidance"), or of a study of it ("guidance_sweep")."""
    return f"{demo}_{study}" if study else demo


def models_by_endpoint(demos: Sequence[Demo]) -> dict[str, type[Settings]]:
    """The settings of every public endpoint, by its name."""
    found = {endpoint_name(d.slug, ""): d.Settings for d in demos}
    return found | {endpoint_name(d.slug, s.slug): s.Settings for d in demos for s in d.studies}


def make_endpoint(
    name: tuple[str, str],
    about: str,
    model: type[Settings],
    compute: Callable[..., Comparison],
    gives_way: bool = False,
) -> Callable[..., Any]:
    """An async function whose keywords are the model's fields, with defaults, types and help; uploads stay out.

    It raises gr.Error with one sentence. While it works it reports progress in units of work; a client's cancel ends
    the thread that computes, and so does a client that has gone.
    """
    fields = {n: f for n, f in model.model_fields.items() if not look(f).get("upload")}

    async def endpoint(*args: Any, **keywords: Any) -> dict[str, Any]:
        try:
            settings = model.check(dict(zip(fields, args, strict=False)) | keywords)
        except SettingsError as error:
            raise gr.Error(str(error), print_exception=False) from None
        tell = gr.Progress()
        run = follow(compute, settings, threading.Event(), gives_way, name=name, visitor=visitor(),
                     there=watch_client())  # fmt: skip
        try:
            async with aclosing(run) as updates:
                async for update in updates:
                    if isinstance(update, Waiting):
                        tell(0, desc=f"busy, place {update.place} in line")
                        continue
                    if isinstance(update, Stopping):
                        continue
                    if not isinstance(update, Step):
                        return update.to_dict()
                    tell(
                        (update.done, update.total),
                        desc=f"{update.done} of {update.total} {update.unit}",
                        unit=update.unit,
                    )
        except Exception as error:
            raise gr.Error(sentence_for(error), print_exception=False) from None
        finally:
            forget_lone_session()
        raise gr.Error("The run ended without a result.", print_exception=False)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, kind, default=default_of(f), annotation=f.annotation) for n, f in fields.items()],
        return_annotation=dict,
    )
    endpoint.__annotations__ = {n: f.annotation for n, f in fields.items()} | {"return": dict}
    endpoint.__name__ = endpoint.__qualname__ = endpoint_name(*name)
    helps = "\n".join(f"    {n}: {_help(n, f)}" for n, f in fields.items())
    endpoint.__doc__ = (
        f"{about}\n\nArgs:\n{helps}\n\nReturns:\n    The comparison: settings, sides with measures, takeaway."
    )
    return endpoint


def answer_mcp_in_json(blocks: gr.Blocks) -> None:
    """Makes MCP tools answer in JSON text; Gradio would print the dictionary as Python does. Call it after launch."""
    server = getattr(blocks, "mcp_server_obj", None)
    if server is None:
        return
    gradios_own = server.postprocess_output_data

    def to_json(data: Any, root_url: str) -> Any:
        return gradios_own([json.dumps(d, ensure_ascii=False) if isinstance(d, dict) else d for d in data], root_url)

    server.postprocess_output_data = to_json


def default_of(info: Any) -> Any:
    """A field's default as JSON has it."""
    value = info.get_default(call_default_factory=True)
    return list(value) if isinstance(value, tuple) else value


def _help(name: str, info: Any) -> str:
    text = " ".join(part for part in (info.title, info.description) if part)
    return " ".join(text.split()) or name
