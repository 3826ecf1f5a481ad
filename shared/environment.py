"""Where a comparison ran, in words: model, device, versions, date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shared.model_rows import ROWS

LIBRARIES = ("torch", "diffusers", "transformers", "onnxruntime", "torchao", "scikit-learn", "umap-learn", "numpy")


def environment_parts(environment: Mapping[str, Any], libraries: int = 8) -> list[str]:
    """The environment as short pieces, the most telling first: model, device with threads, dtype, versions, date."""
    e = environment
    parts = [_text(e.get("model")), "AI-generated pictures" if generator(e) else ""]
    device = _text(e.get("device_name")) or _text(e.get("device"))
    threads = e.get("threads")
    if device:
        many = f", {threads} thread{'' if threads == 1 else 's'}" if threads and _is_cpu(device) else ""
        parts.append(f"{device}{many}")
    parts.append(_text(e.get("dtype")).removeprefix("torch."))
    versions = _versions(e)
    parts += [f"{name} {versions[name]}" for name in LIBRARIES if name in versions][:libraries]
    date = _text(e.get("date") or e.get("measured"))
    kept = "kept result, " if e.get("cached") else ""
    parts.append(f"{kept}measured {date[:16].replace('T', ' ')}" if date else "")
    return [p for p in parts if p]


def generator(environment: Mapping[str, Any]) -> str:
    """The model that drew a result's pictures, by name and in words; empty where no model drew any. It is the one named
    by `drawn_by`, where a demo says that, and `model` otherwise."""
    name = environment.get("drawn_by", environment.get("model"))
    rows = (row for row in ROWS if row.name == name and row.kind == "pipeline")
    return next((f"{row.name} ({row.about})" for row in rows), "")


def _versions(environment: Mapping[str, Any]) -> dict[str, str]:
    nested = next((v for k in ("versions", "libraries") if isinstance(v := environment.get(k), Mapping)), {})
    found = {**environment, **nested}
    return {k: _text(found[k]).split("+")[0] for k in LIBRARIES if _text(found.get(k))}


def _is_cpu(device: str) -> bool:
    return "cuda" not in device.lower() and "nvidia" not in device.lower()


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""
