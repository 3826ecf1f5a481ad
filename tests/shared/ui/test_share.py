"""What the share bar hands out: files with their origin, and no address that means nothing to others."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from shared.ui.share import DOWNLOADS, Origin, address_of, pack
from tests.looks import compared, share


@pytest.mark.parametrize(
    ("headers", "address"),
    [
        ({"host": "127.0.0.1:7860"}, ""),
        ({"host": "localhost:7860"}, ""),
        ({"host": "192.168.1.5:7860"}, ""),
        ({"host": "laptop.local"}, ""),
        ({"host": "laptop:7860"}, ""),
        ({}, ""),
        ({"host": 'a.b"><script>'}, ""),
        ({"host": "gallery.example.org"}, "http://gallery.example.org/"),
        ({"host": "10.0.0.3:7860", "x-forwarded-host": "side.hf.space", "x-forwarded-proto": "https"},
         "https://side.hf.space/"),
    ],
)  # fmt: skip
def test_an_address_is_printed_only_where_others_can_reach_it(headers: dict[str, str], address: str) -> None:
    assert address_of(headers) == address


def card(origin: Origin) -> Image.Image:
    file = json.loads(pack(DOWNLOADS[0], compared(share(0.5), share(0.9)), origin))
    assert file["type"] == "image/png"
    return Image.open(io.BytesIO(base64.b64decode(file["data"])))


def test_a_card_carries_its_link_and_prints_it_where_there_is_an_address() -> None:
    own = card(Origin("sweep", "demo=guidance&study=sweep&steps=5"))
    hosted = card(Origin("sweep", "demo=guidance&study=sweep&steps=5", "https://side.hf.space/"))
    assert own.info["Link"] == hosted.info["Link"] == "?demo=guidance&study=sweep&steps=5"
    assert own.width == 1600 and hosted.height > own.height


def test_files_are_named_after_demo_and_study() -> None:
    c = compared(share(0.5), share(0.9))
    names = [json.loads(pack(d, c, Origin("sweep")))["name"] for d in DOWNLOADS]
    assert names == ["guidance-sweep-card.png", "guidance-sweep-card.png", "guidance-sweep-card-dark.png",
                     "guidance-sweep.json", "guidance-sweep.csv", "guidance-sweep.npz"]  # fmt: skip
