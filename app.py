"""Side by Side: builds the gallery and launches it. `python app.py --help` names the options."""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit("Side by Side needs Python 3.11, 3.12 or 3.13, and this is Python " + found + ".")

import argparse
import importlib.util
import logging
import os
import threading

if importlib.util.find_spec("gradio") is None:
    sys.exit("This Python has not what the gallery needs: “python3 -m shared.setup open” installs it and opens it.")

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
# Gradio keeps a record of every event and sums them up after each: of a few, and seldom, is enough.
os.environ.setdefault("GRADIO_ANALYTICS_MAX_EVENTS", "100")
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "100")
if os.environ.get("SPACES_ZERO_GPU"):
    import spaces  # noqa: F401, it has to come before torch

from shared.options import check_address, read_logins, read_options, stay_offline, to_hosting

OPTIONS = read_options() if __name__ == "__main__" else read_options([])
if __name__ == "__main__":
    check_address(OPTIONS)
if OPTIONS.offline:
    stay_offline()

import gradio as gr
from starlette.middleware import Middleware

from demos import all_demos
from shared.hosting import host, hosting
from shared.ui.api import answer_mcp_in_json
from shared.ui.gallery import build_gallery
from shared.ui.page import HEAD, css
from shared.ui.refusals import CheckCalls
from shared.ui.theme import theme
from shared.zerogpu import is_zerogpu, load_models

SPARE_THREADS = 64
SESSIONS_PER_SEAT = 4
"""Pages whose state is held; each takes over a megabyte."""


def launch(options: "argparse.Namespace") -> gr.Blocks:
    """Builds the gallery and serves it; returns once the page is up."""
    host(to_hosting(options))
    line = hosting().line
    blocks = build_gallery(all_demos())
    # Runs wait in our own line, where each is told its place; Gradio's queue only has to be longer.
    blocks.queue(max_size=4 * line, default_concurrency_limit=4)
    blocks.launch(
        server_name=options.host,
        server_port=options.port,
        auth=read_logins(options.auth) if options.auth else None,
        ssl_certfile=str(options.ssl_cert) if options.ssl_cert else None,
        ssl_keyfile=str(options.ssl_key) if options.ssl_key else None,
        ssl_verify=False,  # concerns only the server's look at itself, which would fail for a name of its own
        share=False,
        quiet=True,  # its lines would offer a public link
        theme=theme(),
        css=css(),
        head=HEAD,
        mcp_server=not options.auth,  # its tools call the gallery without a login, so behind one they could only fail
        footer_links=["api"],
        run_history=False,
        max_file_size="64mb",
        max_threads=line + SPARE_THREADS,
        state_session_capacity=max(100, SESSIONS_PER_SEAT * hosting().seats),
        app_kwargs={"middleware": [Middleware(CheckCalls, demos=all_demos())]},
        prevent_thread_lock=True,
        # The call to its own start events, which waits as long as it must, has shown that the server answers. Gradio's
        # second look gives up after 3 s, which a busy machine needs for the first page, and would end the program.
        _frontend=False,
    )
    answer_mcp_in_json(blocks)
    print("Side by Side is open at " + blocks.local_url + " and stops with Ctrl-C.", flush=True)
    return blocks


def warm_up() -> None:
    """Imports and loads what the demos' first runs need, now that the page is up."""
    for demo in all_demos():
        load = demo.extra.get("warm_up")
        if not callable(load):
            continue
        try:
            load()
        except Exception as error:  # its tab says why when somebody runs it; the other demos are warmed up
            logging.getLogger("side_by_side").warning("%s could not be warmed up: %s", demo.slug, error)


def main() -> None:
    """Serves the gallery until it is stopped."""
    load_models()
    blocks = launch(OPTIONS)
    if not is_zerogpu():  # there each run is a fork of this process, which must not have used OpenMP
        threading.Thread(target=warm_up, name="side-by-side-warm-up", daemon=True).start()
    blocks.block_thread()


if __name__ == "__main__":
    main()
