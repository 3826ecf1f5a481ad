"""The share bar: copy link, save the card as a picture, save the data. The bar writes nothing to the server's disk."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from shared.comparison import Comparison

COPY = """(query) => {
  const url = new URL(window.location.href), theme = url.searchParams.get('__theme');
  url.search = query; url.hash = '';
  if (theme) url.searchParams.set('__theme', theme);
  const text = url.toString();
  const byHand = () => {
    const box = document.createElement('textarea'); box.value = text; document.body.appendChild(box);
    box.select(); document.execCommand('copy'); box.remove();
  };
  if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).catch(byHand); else byHand();
  document.querySelectorAll('.sbs-copy').forEach((button) => {
    if (!button.dataset.label) button.dataset.label = button.textContent;
    button.textContent = 'Link copied';
    setTimeout(() => { button.textContent = button.dataset.label; }, 1800);
  });
}"""

SAVE = """(payload) => {
  if (!payload) return '';
  const file = JSON.parse(payload);
  const bytes = Uint8Array.from(atob(file.data), (c) => c.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], {type: file.type}));
  link.download = file.name; document.body.appendChild(link); link.click(); link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return '';
}"""


@dataclass(frozen=True)
class Download:
    """One button that saves: what it says, the end of the file's name, its type, and how its bytes are made."""

    label: str
    ending: str
    kind: str
    make: Callable[[Comparison], bytes]


def _card(comparison: Comparison, dark: bool) -> bytes:
    from shared.export import card_png

    return card_png(comparison, dark=dark)


def _json(comparison: Comparison) -> bytes:
    from shared.export import to_json

    return to_json(comparison).encode()


def _csv(comparison: Comparison) -> bytes:
    from shared.export import to_csv

    return to_csv(comparison).encode()


def _npz(comparison: Comparison) -> bytes:
    from shared.export import to_npz

    return to_npz(comparison)


DOWNLOADS = (
    Download("Save card", "-card.png", "image/png", lambda c: _card(c, dark=False)),
    Download("Dark card", "-card-dark.png", "image/png", lambda c: _card(c, dark=True)),
    Download("JSON", ".json", "application/json", _json),
    Download("CSV", ".csv", "text/csv", _csv),
    Download("NPZ", ".npz", "application/octet-stream", _npz),
)


def pack(download: Download, comparison: Comparison, study: str) -> str:
    """The file as the page's script wants it: JSON with its name, type and bytes (base64)."""
    name = f"{comparison.demo}{f'-{study}' if study else ''}{download.ending}"
    data = base64.b64encode(download.make(comparison)).decode()
    return json.dumps({"name": name, "type": download.kind, "data": data})


@dataclass(frozen=True)
class ShareBar:
    """The bar's parts: `query` holds the link's query, `payload` a file on its way to the page's script."""

    copy: gr.Button
    downloads: tuple[gr.Button, ...]
    query: gr.Textbox
    payload: gr.Textbox


def draw_share_bar(query: str) -> ShareBar:
    """Draws the bar and wires its copy button."""
    with gr.Row(elem_classes="sbs-share"):
        copy = gr.Button("Copy link", size="sm", elem_classes="sbs-copy", min_width=0)
        buttons = tuple(gr.Button(d.label, size="sm", min_width=0, elem_classes="sbs-save") for d in DOWNLOADS)
    box = gr.Textbox(query, elem_classes="sbs-hidden sbs-query", show_label=False)
    payload = gr.Textbox("", elem_classes="sbs-hidden", show_label=False)
    copy.click(None, box, None, js=COPY, api_visibility="private")
    return ShareBar(copy, buttons, box, payload)
