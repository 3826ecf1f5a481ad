"""Content Credentials: a signed note inside a picture's file that says that a model drew it, and which.

The format is C2PA's (https://spec.c2pa.org, version 2), written by its own library, `c2pa-python`. That library is
needed only where a host signs, so it is imported here alone and late.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

NAME = "Side by Side"
COMPOSITE = "http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia"
"""IPTC's term for a picture that holds generated ones beside other things, as a note card does."""
ALGORITHMS = {"secp256r1": "es256", "secp384r1": "es384", "secp521r1": "es512"}

Sign = Callable[[bytes, str], bytes]
"""Takes a PNG and the model that drew what it shows, and returns the PNG with the signed note."""


def make_signer(certificate: bytes, key: bytes) -> Sign:
    """A function that signs PNG files. `certificate`: a chain in PEM, the signer's own first; `key`: its key in PEM.

    Nothing is asked of the network: there is no time stamp of an authority. Raises ValueError with one sentence where
    the two do not belong together or C2PA does not take them.
    """
    import c2pa

    algorithm, plain_key = _read_key(key)

    def sign(png: bytes, model: str) -> bytes:
        info = c2pa.C2paSignerInfo(algorithm, certificate, plain_key, None)
        signed = io.BytesIO()
        with c2pa.Signer.from_info(info) as signer, c2pa.Builder.from_json(json.dumps(_note(model))) as builder:
            builder.sign(signer, "image/png", io.BytesIO(png), signed)
        return signed.getvalue()

    try:
        _try_out(sign)
    except Exception as error:  # the library has an error of its own for each step
        reason = " ".join(str(error).split()).rstrip(".")[:200]
        raise ValueError(f"Pictures cannot be signed with this certificate and key: {reason}.") from None
    return sign


def read_note(png: bytes) -> dict[str, Any] | None:
    """The signed note in a PNG as C2PA's library reports it, with `validation_state`; None where there is none."""
    import c2pa

    errors: Any = c2pa.C2paError
    try:
        with c2pa.Reader("image/png", io.BytesIO(png)) as reader:
            return json.loads(reader.json())
    except errors.ManifestNotFound:
        return None


def _note(model: str) -> dict[str, Any]:
    created = {"action": "c2pa.created", "digitalSourceType": COMPOSITE, "softwareAgent": {"name": model}}
    return {
        "claim_generator_info": [{"name": NAME}],
        "title": f"Note card with AI-generated pictures, by {model}",
        "format": "image/png",
        "assertions": [{"label": "c2pa.actions.v2", "data": {"actions": [created]}}],
    }


def _read_key(pem: bytes) -> tuple[str, bytes]:
    """C2PA's name for what the key signs with, and the key as the library wants it (PKCS 8)."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    try:
        key = serialization.load_pem_private_key(pem, None)
    except (ValueError, TypeError):  # TypeError: it is behind a password
        raise ValueError("The key to sign with is not a PEM file without a password.") from None
    plain = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name in ALGORITHMS:
        return ALGORITHMS[key.curve.name], plain
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return "ed25519", plain
    if isinstance(key, rsa.RSAPrivateKey):
        return "ps256", plain
    raise ValueError("The key to sign with must be RSA, Ed25519, or of the curves P-256, P-384 or P-521.")


def _try_out(sign: Sign) -> None:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (8, 8)).save(file, "PNG")
    found = read_note(sign(file.getvalue(), "a try at the start"))
    if found is None or found["validation_state"] == "Invalid":
        codes = [fault["code"] for fault in (found or {}).get("validation_status", ())]
        raise ValueError(", ".join(codes) or "nothing was written")
