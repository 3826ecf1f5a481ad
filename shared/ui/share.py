"""The share bar: copy link or card, save card and data. The bar writes nothing to the server's disk."""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import gradio as gr

from shared.comparison import Comparison
from shared.environment import generator
from shared.hosting import hosting

COPY = """(query) => {
  const url = new URL(window.location.href);
  url.search = query; url.hash = '';
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

COPY_IMAGE = """async (payload) => {
  if (!payload) return '';
  const file = JSON.parse(payload);
  const bytes = Uint8Array.from(atob(file.data), (c) => c.charCodeAt(0));
  const blob = new Blob([bytes], {type: file.type});
  let said = 'Card copied';
  try { await navigator.clipboard.write([new ClipboardItem({[file.type]: blob})]); }
  catch (error) {
    said = 'Saved instead: no copying here';
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob); link.download = file.name;
    document.body.appendChild(link); link.click(); link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  document.querySelectorAll('.sbs-copy-card').forEach((button) => {
    if (!button.dataset.label) button.dataset.label = button.textContent;
    button.textContent = said;
    setTimeout(() => { button.textContent = button.dataset.label; }, 2500);
  });
  return '';
}"""


@dataclass(frozen=True)
class Origin:
    """Where a result is saved from: the study, the query of a link to it with every setting, and the gallery's address,
    which is empty on the visitor's own machine."""

    study: str = ""
    query: str = ""
    address: str = ""


@dataclass(frozen=True)
class Download:
    """One button that saves: what it says, the end of the file's name, its type, how its bytes are made, and the script
    that the file goes to."""

    label: str
    ending: str
    kind: str
    make: Callable[[Comparison, Origin], bytes]
    script: str = SAVE
    name: str = "sbs-save"


def _card(comparison: Comparison, origin: Origin, dark: bool = False) -> bytes:
    from shared.export import card_png

    card = card_png(comparison, dark=dark, query=origin.query, address=origin.address)
    sign, model = hosting().sign, generator(comparison.environment)
    return sign(card, model) if sign and model else card


def _json(comparison: Comparison, origin: Origin) -> bytes:
    from shared.export import to_json

    return to_json(comparison).encode()


def _csv(comparison: Comparison, origin: Origin) -> bytes:
    from shared.export import to_csv

    return to_csv(comparison).encode()


def _npz(comparison: Comparison, origin: Origin) -> bytes:
    from shared.export import to_npz

    return to_npz(comparison)


DOWNLOADS = (
    Download("Copy card", "-card.png", "image/png", _card, COPY_IMAGE, "sbs-copy-card"),
    Download("Save card", "-card.png", "image/png", _card),
    Download("Dark card", "-card-dark.png", "image/png", lambda c, origin: _card(c, origin, dark=True)),
    Download("JSON", ".json", "application/json", _json),
    Download("CSV", ".csv", "text/csv", _csv),
    Download("NPZ", ".npz", "application/octet-stream", _npz),
)


def pack(download: Download, comparison: Comparison, origin: Origin) -> str:
    """The file as the page's script wants it: JSON with its name, type and bytes (base64)."""
    name = f"{comparison.demo}{f'-{origin.study}' if origin.study else ''}{download.ending}"
    data = base64.b64encode(download.make(comparison, origin)).decode()
    return json.dumps({"name": name, "type": download.kind, "data": data})


def address_of(headers: Mapping[str, str]) -> str:
    """The gallery's address as a visitor's request names it; empty where that is the visitor's own machine or network,
    whose address would mean nothing to others."""
    host = headers.get("x-forwarded-host") or headers.get("host") or ""
    found = re.fullmatch(r"([A-Za-z0-9.-]{1,100})(:\d{1,5})?", host)
    if found is None or _is_private(found[1]):
        return ""
    scheme = "https" if headers.get("x-forwarded-proto", "").split(",")[0].strip() == "https" else "http"
    return f"{scheme}://{host}/"


def _is_private(name: str) -> bool:
    try:
        return not ipaddress.ip_address(name).is_global
    except ValueError:
        return "." not in name or name.endswith((".local", ".localhost", ".lan", ".internal"))


@dataclass(frozen=True)
class ShareBar:
    """The bar's parts: `query` holds the link's query, `saves` the buttons that would show numbers, `payload` a file on
    its way to the page's script."""

    copy: gr.Button
    saves: gr.Row
    downloads: tuple[gr.Button, ...]
    query: gr.Textbox
    payload: gr.Textbox


def draw_share_bar(query: str) -> ShareBar:
    """Draws the bar and wires its copy button. What holds numbers stays hidden until the numbers are shown."""
    with gr.Row(elem_classes="sbs-share"):
        copy = gr.Button("Copy link", size="sm", elem_classes="sbs-copy", min_width=0)
        with gr.Row(elem_classes="sbs-saves", visible=False) as saves:
            buttons = tuple(gr.Button(d.label, size="sm", min_width=0, elem_classes=d.name) for d in DOWNLOADS)
    box = gr.Textbox(query, elem_classes="sbs-hidden sbs-query", show_label=False)
    payload = gr.Textbox("", elem_classes="sbs-hidden", show_label=False)
    copy.click(None, box, None, js=COPY, api_visibility="private")
    return ShareBar(copy, saves, buttons, box, payload)
