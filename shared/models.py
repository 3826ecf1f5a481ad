"""The registry: where each model's weights come from, and the loaded ones, shared by all.

Only names in the table (shared.model_rows) load, whatever a link asks for. Weights are looked for in this order: the
bundled asset, the folder of that name under GALLERY_MODELS, the Hub's cache, the Hub. Only safetensors, no code from
repositories. Nothing heavy is imported until a model is loaded.
"""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shared import checksums
from shared.demo import DemoError
from shared.model_rows import REAL, ROWS, ModelRow

if TYPE_CHECKING:
    import torch

ASSETS = Path(__file__).resolve().parent.parent / "assets"
HUB_PATIENCE = 5.0  # seconds
BUDGET = 12 * 1024  # MiB of loaded models, all together
BUDGET_CPU = 2 * 1024
"""The same where there is no GPU: the bundled models together need far less, and the process stays small."""
CHANGES = "unet_changes.safetensors"  # low-rank changes of another pipeline's U-Net
_TEXT_FILES = ["*.json", "*.txt", "*.model"]


@dataclass
class Loaded:
    """A model in memory: the pipeline, reader or encoder itself, its row, where the weights came from, device and
    format; an encoder's tokenizer, and the folder it was read from.

    `lock` is held by whoever computes with it, so that runs neither mix nor spoil each other's timing.
    """

    row: ModelRow
    model: Any
    origin: str
    device: torch.device
    dtype: torch.dtype
    confidence: float = 0.0
    tokenizer: Any = None
    folder: Path | None = None
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @contextmanager
    def alone(self, still_wanted: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Hold the model; while waiting for others, call `still_wanted` now and then: it raises to give up."""
        while not self.lock.acquire(timeout=0.2):
            still_wanted()
        try:
            yield
        finally:
            self.lock.release()


def names(kind: str) -> tuple[str, ...]:
    """The names in the table of one kind."""
    return tuple(row.name for row in ROWS if row.kind == kind)


def resolve(name: str) -> ModelRow:
    """The row of a name. `auto` is a real Stable Diffusion where a GPU and its weights are at hand, else the bundled
    pipeline. Raises DemoError for a name that is not in the table."""
    wanted = name
    if name == "auto":
        wanted = REAL if is_here(REAL) and _has_gpu() else "sticker_diffusion"
    for row in ROWS:
        if row.name == wanted:
            return row
    raise DemoError(f"There is no model “{name[:40]}”; the models are auto, {', '.join(names('pipeline'))}.")


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()


def locate(row: ModelRow) -> tuple[Path, str]:
    """The folder with the model's weights, and in words where it is. Raises DemoError where it can't be had."""
    asset = ASSETS / row.asset
    if row.asset and _has_config(asset):
        return asset, "bundled"
    if row.package:
        return _package_folder(row), f"package {row.package.replace('_', '-')}"
    own = os.environ.get("GALLERY_MODELS")
    if own:
        folder = Path(own) / (row.folder or row.hub or row.name)
        if _has_config(folder):
            return folder, "local folder"
    if row.hub:
        return _from_hub(row), f"Hub {row.hub}@{row.revision[:12]}"
    if row.folder:
        raise DemoError(
            f"The weights of {row.name} are not here: put the model's folder, with model.safetensors, under "
            f"GALLERY_MODELS as {row.folder}."
        )
    raise DemoError(
        f"The weights of {row.name} are not here: check out the folder assets/{row.asset or row.name} again, "
        f"or train them with its recipe.py."
    )


def _package_folder(row: ModelRow) -> Path:
    found = importlib.util.find_spec(row.package)
    if found is None or not found.submodule_search_locations:
        name = row.package.replace("_", "-")
        raise DemoError(f"The weights of {row.name} come with the package {name}, which is not installed.")
    return Path(next(iter(found.submodule_search_locations)))


def _has_config(folder: Path) -> bool:
    names = ("model_index.json", "config.json", "unet/config.json", CHANGES)
    return any((folder / name).is_file() for name in names)


def hub_files(row: ModelRow) -> list[str]:
    """Which files of a Hub repository are wanted, as patterns: texts, and safetensors of one format. A pipeline's lie
    in folders; what lies beside them is the same once more, in one file."""
    folder = "*/" if row.kind == "pipeline" else ""
    return [*_TEXT_FILES, f"{folder}*.{row.variant}.safetensors" if row.variant else f"{folder}*.safetensors"]


def _from_hub(row: ModelRow) -> Path:
    for local in (True, False):
        if not local and not _hub_answers():
            break
        found = _snapshot(row, local)
        if found:
            return found
    raise DemoError(
        f"{row.name} could not be had from the Hub: connect this machine to it, or put the model's folder "
        f"under GALLERY_MODELS as {row.folder or row.hub}."
    )


def _hub_answers() -> bool:
    """Whether the Hub can be reached at all: its own client would try again and again for half a minute."""
    from huggingface_hub import constants
    from huggingface_hub.utils import get_session

    if constants.HF_HUB_OFFLINE:
        return False
    try:
        get_session().head(constants.ENDPOINT, timeout=HUB_PATIENCE)
    except Exception:
        return False
    return True


def _snapshot(row: ModelRow, local: bool) -> Path | None:
    """The row's folder in the Hub's cache, filled from the Hub unless `local`; None where it can't be had."""
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(row.hub, revision=row.revision, allow_patterns=hub_files(row), local_files_only=local)
        )
    except Exception:
        return None  # not in the cache, or the Hub can't be reached: both end in the caller's sentence


def load_pipeline(name: str) -> Loaded:
    """The named StableDiffusionPipeline, loaded once and shared. Raises DemoError where it can't be had."""
    row = resolve(name)
    if row.kind != "pipeline":
        raise DemoError(f"{row.name} does not draw pictures; the models that do are {', '.join(names('pipeline'))}.")
    return _load(row, _read_pipeline)


def load_clip(name: str) -> Loaded:
    """The named CLIPModel with its tokenizer, loaded once and shared. Raises DemoError where it can't be had."""
    return _load(_of_kind(name, "clip"), _read_clip)


def load_sentences(name: str = "minilm") -> Loaded:
    """The named sentence encoder with its tokenizer, loaded once and shared. Raises DemoError where it can't be had."""
    return _load(_of_kind(name, "sentences"), _read_sentences)


def load_classifier(name: str = "efficientnet_lite0") -> Loaded:
    """The named ImageNet classifier, loaded once and shared: EfficientNet-Lite0 takes pictures as
    `shared.imagenet.prepare` makes them to logits [b, 1000]; those of the Hub are transformers' own. Raises DemoError
    where it can't be had."""
    return _load(_of_kind(name, "classifier"), _read_classifier)


def is_here(name: str) -> bool:
    """Whether a model's weights are bundled, in a local folder, a package or the Hub's cache, so that no network is
    needed."""
    row = next((r for r in ROWS if r.name == name), None) or resolve(name)
    if row.package:
        return importlib.util.find_spec(row.package) is not None
    own = os.environ.get("GALLERY_MODELS")
    folders = [ASSETS / row.asset] if row.asset else []
    folders += [Path(own) / (row.folder or row.hub or row.name)] if own else []
    if any(_has_config(folder) for folder in folders):
        return True
    found = _snapshot(row, local=True) if row.hub else None
    return found is not None and _has_config(found)


def _of_kind(name: str, kind: str) -> ModelRow:
    row = resolve(name)
    if row.kind != kind:
        raise DemoError(f"{row.name} is no {kind} model; those that are: {', '.join(names(kind))}.")
    return row


def load_scene_reader(name: str = "scene_reader") -> Loaded:
    """The scene reader with its set confidence, loaded once and shared. Raises DemoError where it can't be had."""
    return _load(resolve(name), _read_reader)


def _read_pipeline(row: ModelRow, folder: Path, origin: str) -> Loaded:
    import diffusers
    import torch
    import transformers
    from diffusers.utils import logging

    from shared.devices import best_device, dtype_for

    # Loading bars and remarks on other classes than the usual ones would only fill a host's log.
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    transformers.utils.logging.disable_progress_bar()
    device = best_device()
    dtype = dtype_for(device, big=row.big)
    whole = locate(resolve(row.base))[0] if row.base else folder
    pipeline = getattr(diffusers, _pipeline_class(whole)).from_pretrained(
        whole, dtype=dtype, use_safetensors=True, local_files_only=True, variant=_variant(row, whole)
    )
    if row.base:
        _take_own_parts(pipeline, folder, dtype)
    pipeline.set_progress_bar_config(disable=True)
    for part in (pipeline.components[name] for name in _NETWORKS if pipeline.components.get(name) is not None):
        part.to(device).eval().requires_grad_(False)
    if pipeline.vae.config.get("force_upcast") and dtype == torch.float16:
        pipeline.vae.to(torch.float32)  # SDXL's autoencoder overflows in FP16
    # Measured: decoding takes 30% less time in this layout on a CPU; the U-Net gains nothing.
    pipeline.vae.to(memory_format=torch.channels_last)
    return Loaded(row, pipeline, origin, device, dtype)


def _take_own_parts(pipeline: Any, folder: Path, dtype: torch.dtype) -> None:
    """Put a folder's own U-Net, changes of the U-Net and scheduler in the place of the base's."""
    import diffusers
    from safetensors.torch import load_file

    from shared.low_rank import merge

    if (folder / "unet").is_dir():
        pipeline.unet = diffusers.UNet2DConditionModel.from_pretrained(
            folder / "unet", dtype=dtype, use_safetensors=True, local_files_only=True
        )
    if (folder / CHANGES).is_file():
        merge(pipeline.unet, load_file(folder / CHANGES))
    if (folder / "scheduler").is_dir():
        pipeline.scheduler = diffusers.LCMScheduler.from_pretrained(folder / "scheduler")


_NETWORKS = ("text_encoder", "text_encoder_2", "unet", "vae", "safety_checker")
_PIPELINES = ("StableDiffusionPipeline", "StableDiffusionXLPipeline", "LatentConsistencyModelPipeline")


def _pipeline_class(folder: Path) -> str:
    """The class that a pipeline's folder names, one of three; whatever else it names is refused."""
    found = json.loads((folder / "model_index.json").read_text(encoding="utf-8")).get("_class_name")
    if found not in _PIPELINES:
        raise DemoError(f"The folder {folder.name} holds a {str(found)[:40]}, not a {' or '.join(_PIPELINES)}.")
    return found


def _variant(row: ModelRow, folder: Path) -> str | None:
    """The row's variant, where the folder's U-Net has it; a local folder may hold another format."""
    has = row.variant and any((folder / "unet").glob(f"*.{row.variant}*.safetensors"))
    return row.variant if has else None


def _read_reader(row: ModelRow, folder: Path, origin: str) -> Loaded:
    import torch

    from shared.devices import best_device
    from shared.reader import load_reader

    reader, confidence = load_reader(folder)
    device = best_device()
    return Loaded(row, reader.to(device), origin, device, torch.float32, confidence)


def _read_classifier(row: ModelRow, folder: Path, origin: str) -> Loaded:
    import torch

    from shared.devices import best_device
    from shared.imagenet import read_efficientnet

    device = best_device()
    if not row.package:
        from transformers import AutoModelForImageClassification

        found = AutoModelForImageClassification.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True, local_files_only=True
        )
        return Loaded(row, found.to(device).eval().requires_grad_(False), origin, device, torch.float32, folder=folder)
    return Loaded(row, read_efficientnet(folder).to(device), origin, device, torch.float32, folder=folder)


def _read_clip(row: ModelRow, folder: Path, origin: str) -> Loaded:
    from transformers import CLIPModel

    return _read_encoder(row, folder, origin, CLIPModel)


def _read_sentences(row: ModelRow, folder: Path, origin: str) -> Loaded:
    from transformers import AutoModel

    return _read_encoder(row, folder, origin, AutoModel)


def _read_encoder(row: ModelRow, folder: Path, origin: str, kind: Any) -> Loaded:
    import torch
    from transformers import AutoTokenizer

    from shared.devices import best_device

    device = best_device()
    model = kind.from_pretrained(folder, dtype=torch.float32, use_safetensors=True, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = model.to(device).eval().requires_grad_(False)
    return Loaded(row, model, origin, device, torch.float32, tokenizer=tokenizer, folder=folder)


_loaded: OrderedDict[str, Loaded] = OrderedDict()
_loading: dict[str, threading.Lock] = {}
_table = threading.Lock()


def _load(row: ModelRow, read: Callable[[ModelRow, Path, str], Loaded]) -> Loaded:
    with _table:
        one_at_a_time = _loading.setdefault(row.name, threading.Lock())
    with one_at_a_time:
        with _table:
            if row.name in _loaded:
                _loaded.move_to_end(row.name)
                return _loaded[row.name]
        folder, origin = locate(row)
        if origin == "bundled":
            checksums.check(folder)
        _make_room(row.memory)
        try:
            found = read(row, folder, origin)
        except DemoError:
            raise
        except Exception as error:
            reason = " ".join(str(error).split())[:120].rstrip(".") or type(error).__name__
            raise DemoError(
                f"The weights of {row.name} can't be read ({reason}): get the folder {folder.name} again."
            ) from error
        with _table:
            _loaded[row.name] = found
        return found


def _make_room(memory: int) -> None:
    """Let go of the models used longest ago until `memory` MiB more fit. Who computes with one keeps it to the end."""
    budget = BUDGET if _has_gpu() else min(BUDGET, BUDGET_CPU)
    with _table:
        while _loaded and sum(m.row.memory for m in _loaded.values()) + memory > budget:
            _loaded.popitem(last=False)


def loaded_names() -> tuple[str, ...]:
    """The names of the models in memory, the one used longest ago first."""
    with _table:
        return tuple(_loaded)


def forget() -> None:
    """Let go of every loaded model."""
    with _table:
        _loaded.clear()
