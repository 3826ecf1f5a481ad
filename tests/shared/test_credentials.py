"""The signed note in a card: it says what drew the pictures, holds, and breaks when the picture is changed."""

from __future__ import annotations

import base64
import dataclasses
import io
import json
from collections.abc import Iterator

import pytest
from PIL import Image

from shared.comparison import Comparison
from shared.credentials import COMPOSITE, make_signer, read_note
from shared.hosting import Hosting, host
from shared.ui.share import DOWNLOADS, Origin, pack
from tests.certificates import make_certificate
from tests.looks import compared, share

MODEL = "sticker_turbo"


@pytest.fixture
def signing() -> Iterator[None]:
    host(Hosting(sign=make_signer(*make_certificate())))
    yield
    host(Hosting())


def card(model: str) -> bytes:
    found = compared(share(0.5), share(0.9))
    found = dataclasses.replace(found, environment={**found.environment, "model": model})
    return saved(found)


def saved(comparison: Comparison) -> bytes:
    return base64.b64decode(json.loads(pack(DOWNLOADS[1], comparison, Origin(query="?demo=x&seed=3")))["data"])


@pytest.mark.usefixtures("signing")
def test_a_card_of_generated_pictures_carries_a_note_that_holds() -> None:
    png = card(MODEL)
    found = read_note(png)
    assert found is not None and found["validation_state"] in ("Valid", "Trusted")
    note = found["manifests"][found["active_manifest"]]
    (action,) = note["assertions"][0]["data"]["actions"]
    assert action["action"] == "c2pa.created" and action["digitalSourceType"] == COMPOSITE
    assert action["softwareAgent"]["name"].startswith(MODEL)
    assert note["claim_generator_info"][0]["name"] == "Side by Side"
    picture = Image.open(io.BytesIO(png))
    assert picture.info["Link"] == "?demo=x&seed=3"  # what restores the settings is still there


@pytest.mark.usefixtures("signing")
def test_a_changed_picture_breaks_the_note() -> None:
    png = bytearray(card(MODEL))
    at = png.index(b"IDAT") + 40
    png[at] ^= 1
    found = read_note(bytes(png))
    assert found is not None and found["validation_state"] == "Invalid"
    assert "assertion.dataHash.mismatch" in {fault["code"] for fault in found["validation_status"]}


@pytest.mark.usefixtures("signing")
def test_what_no_model_drew_is_not_signed() -> None:
    assert read_note(card("sticker_clip")) is None


def test_nothing_is_signed_unless_the_host_signs() -> None:
    assert read_note(card(MODEL)) is None


def test_a_key_of_a_kind_that_cannot_sign_gets_a_sentence() -> None:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import x25519

    key = x25519.X25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    with pytest.raises(ValueError, match="must be RSA, Ed25519, or of the curves P-256, P-384 or P-521"):
        make_signer(make_certificate()[0], key)
