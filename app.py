"""Side by Side: builds the gallery and launches it. `python app.py --help` names the options."""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    found = ".".join(str(part) for part in sys.version_info[:2])
    sys.exit("Side by Side needs Python 3.11, 3.12 or 3.13, and this is Python " + found + ".")

import argparse
import os
import threading

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from demos import all_demos
from shared.ui.api import answer_mcp_in_json
from shared.ui.gallery import build_gallery
from shared.ui.page import HEAD, css
from shared.ui.theme import theme

QUEUE = 32


def read_options(arguments: "list[str] | None" = None) -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(description="Opens the gallery in a local web server.")
    parser.add_argument("--host", default=None, help="address to listen on; 127.0.0.1 by default")
    parser.add_argument("--port", type=int, default=7860, help="port to listen on; 7860 by default")
    return parser.parse_args(arguments)


def launch(host: "str | None" = None, port: int = 7860) -> gr.Blocks:
    """Builds the gallery and serves it; returns once the page is up."""
    blocks = build_gallery(all_demos())
    blocks.queue(max_size=QUEUE, default_concurrency_limit=4)
    blocks.launch(
        server_name=host,
        server_port=port,
        share=False,
        theme=theme(),
        css=css(),
        head=HEAD,
        mcp_server=True,
        footer_links=["api"],
        run_history=False,
        max_file_size="64mb",
        prevent_thread_lock=True,
    )
    answer_mcp_in_json(blocks)
    return blocks


def warm_up() -> None:
    """Imports and loads what the demos' first runs need, now that the page is up."""
    for demo in all_demos():
        load = demo.extra.get("warm_up")
        if callable(load):
            load()


def main() -> None:
    """Serves the gallery until it is stopped."""
    options = read_options()
    blocks = launch(options.host, options.port)
    threading.Thread(target=warm_up, name="side-by-side-warm-up", daemon=True).start()
    blocks.block_thread()


if __name__ == "__main__":
    main()
