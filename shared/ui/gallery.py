"""Puts the gallery together: header, the first tab with cards and confusions, a tab and endpoints for every demo."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from shared.demo import Demo, DemoError
from shared.models import resolve
from shared.settings import SettingsError
from shared.stored import load_default
from shared.ui.api import add_endpoints
from shared.ui.html import GalleryCard, error_html, gallery_html
from shared.ui.links import FOLLOW, OPENER, query_of, query_pairs, read_link
from shared.ui.workshop import draw_workshop

NAME = "Side by Side"
TAGLINE = "techniques of generative AI, measured next to each other"
HOME = "gallery"

VISIT = """
element.addEventListener('click', (event) => {
  const card = event.target.closest('a.sbs-card');
  if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  trigger('visit', {slug: card.dataset.demo});
});
"""
CARDS_BACK = (
    "<p class='sbs-cards-back'>A card that was saved here holds its settings: drop it on this page, or "
    "<label>choose the file<input type='file' accept='image/png' class='sbs-card-file'></label>, to run it again. "
    "<span class='sbs-card-said' role='status'></span></p>"
)
DELETE_UPLOADS = (600, 3600)
"""Seconds: every ten minutes uploads of an hour ago are deleted, and all of them when the server stops. A control that
still names one then gets the sentence that the file is not there any more."""
RESIZE = "() => { setTimeout(() => window.dispatchEvent(new Event('resize')), 60); }"


def build_gallery(demos: Sequence[Demo]) -> gr.Blocks:
    """The whole page with a tab for each demo, not yet launched."""
    with gr.Blocks(title=NAME, fill_width=True, delete_cache=DELETE_UPLOADS) as blocks:
        gr.HTML(header_html(demos), elem_classes="sbs-tight sbs-header")
        with gr.Tabs(selected=HOME, elem_id="sbs-tabs") as tabs:
            with gr.Tab("Gallery", id=HOME):
                notice = gr.HTML("", elem_classes="sbs-tight sbs-notice")
                cards = gr.HTML(_cards_html(demos), elem_classes="sbs-tight sbs-cards", js_on_load=VISIT)
                gr.HTML(confusions_html(demos), elem_classes="sbs-tight sbs-index")
                gr.HTML(CARDS_BACK, elem_classes="sbs-tight")
                draw_workshop(demos)
            for demo in demos:
                with gr.Tab(demo.title, id=demo.slug) as tab:
                    demo.build()
                tab.select(None, None, None, js=RESIZE, api_visibility="private")
        _wire_visits(blocks, tabs, cards, notice, demos)
        for demo in demos:
            add_endpoints(demo)
    return blocks


def header_html(demos: Sequence[Demo]) -> str:
    """Name and tagline; at the right the device, the model that the first demo uses, and the theme's switch."""
    facts = " · ".join(escape(part) for part in (device_words(), _model_words(demos)) if part)
    return (
        f"<div class='sbs-header-line'><h1>{NAME}</h1><span class='sbs-tagline'>{TAGLINE}</span>"
        f"<span class='sbs-facts'>{facts}</span>"
        "<button type='button' class='sbs-theme' title='Light or dark' aria-label='Switch between light and dark'>"
        "◐</button></div>"
    )


def device_words() -> str:
    """Where this server computes, found without importing a framework: a GPU's presence, else the CPU's threads."""
    if Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi"):
        return "NVIDIA GPU"
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"CPU, {count} thread{'' if count == 1 else 's'}"


def confusions_html(demos: Sequence[Demo]) -> str:
    """What people mix up, by demo, from the presets, each a link to the preset that settles it."""
    parts = "".join(_confusions_of(demo) for demo in demos)
    if not parts:
        return ""
    title = "What people mix up, and the run that settles it"
    return f"<section class='sbs-confusions'><h2>{title}</h2>{parts}</section>"


def _confusions_of(demo: Demo) -> str:
    items = "".join(
        f"<li><a href='?{escape(query_of(demo, '', dict(p.settings), {}), quote=True)}'><b>{escape(p.settles)}</b>"
        f"<span>{escape(p.confusion)}<i>{escape(p.title)}</i></span></a></li>"
        for p in demo.presets
        if p.confusion
    )
    return f"<h3>{escape(demo.title)}</h3><ul>{items}</ul>" if items else ""


def _cards_html(demos: Sequence[Demo]) -> str:
    cards = []
    for demo in demos:
        stored = load_default(demo)
        pictures = tuple(s.face for s in stored.sides[:2] if s.face) if stored else ()
        cards.append(GalleryCard(demo.slug, demo.title, demo.question, pictures))
    return gallery_html(cards)


def _model_words(demos: Sequence[Demo]) -> str:
    for demo in demos:
        name: Any = getattr(demo.Settings(), "model", None)
        if isinstance(name, str):
            try:
                return resolve(name).name.replace("_", " ")
            except DemoError:
                continue
    return ""


def _wire_visits(blocks: gr.Blocks, tabs: gr.Tabs, cards: gr.HTML, notice: gr.HTML, demos: Sequence[Demo]) -> None:
    known = {demo.slug for demo in demos}

    def visit(event: gr.EventData) -> Any:
        slug = getattr(event, "slug", "")
        return gr.Tabs(selected=slug) if slug in known else gr.skip()

    def arrive(request: gr.Request) -> tuple[Any, Any]:
        try:
            link = read_link(query_pairs(request), demos)
        except SettingsError as error:
            return gr.skip(), error_html(str(error))
        return (gr.Tabs(selected=link.demo), "") if link else (gr.skip(), "")

    private: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    cards.visit(visit, None, tabs, **private)
    opener = gr.Button("Open the link", elem_id=OPENER, elem_classes="sbs-hidden")
    opener.click(arrive, None, [tabs, notice], **private)
    blocks.load(None, None, None, js=FOLLOW, **private)
