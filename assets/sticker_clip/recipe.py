"""Makes sticker_clip: `python -m assets.sticker_clip.recipe`. Seeded, resumable, a GPU is used if there.

A small CLIP (Radford et al. 2021, arXiv 2103.00020): a vision transformer and a text transformer whose embeddings of a
scene and its caption are pulled together by InfoNCE over the batch. Each picture also meets its caption told wrongly
(the relation turned round, the colors exchanged or another kind), as in NegCLIP (Yuksekgonul et al. 2023, arXiv
2210.01936).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPTokenizer

from assets.sticker_diffusion.text import LENGTH, caption_ids, make_tokenizer, tokenize
from shared.stickers import BACKGROUNDS, COLORS, KINDS, OPPOSITE, STYLES, Scene, Sticker, caption, render
from shared.training import (
    Optimizer,
    Progress,
    Training,
    cosine_rate,
    rendered,
    scenes,
    to_tensor,
    training_device,
)

FOLDER = Path(__file__).parent
SIZE = 128
BATCH = 256
TRAINING_SCENES = 32_000
WRONG = 4  # captions of each scene that differ from its own in one thing
STYLED = 5  # of the captions that `caption_ids` makes, those that leave nothing out


def build(tokenizer: CLIPTokenizer) -> CLIPModel:
    """An untrained CLIP: pictures of 128 pixels in patches of 16, both sides 192 wide and 4 layers deep, joint width
    128."""
    tower = {"hidden_size": 192, "intermediate_size": 768, "num_hidden_layers": 4, "num_attention_heads": 4,
             "projection_dim": 128}  # fmt: skip
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id,
           "pad_token_id": tokenizer.pad_token_id}  # fmt: skip
    config = CLIPConfig(
        text_config=tower | ids | {"vocab_size": len(tokenizer), "max_position_embeddings": LENGTH},
        vision_config=tower | {"image_size": SIZE, "patch_size": 16},
        projection_dim=128,
    )
    return CLIPModel(config)


def embed_pictures(network: CLIPModel, pictures: Tensor) -> Tensor:
    """Unit embeddings [n, 128] of pictures [n, 3, 128, 128] from -1 to 1."""
    pooled = network.vision_model(pixel_values=pictures).pooler_output
    return F.normalize(network.visual_projection(pooled).float(), dim=-1)


def embed_texts(network: CLIPModel, ids: Tensor) -> Tensor:
    """Unit embeddings [n, 128] of token ids [n, tokens]."""
    pooled = network.text_model(input_ids=ids).pooler_output
    return F.normalize(network.text_projection(pooled).float(), dim=-1)


def contrast(pictures: Tensor, texts: Tensor, wrong: Tensor, scale: Tensor, same: Tensor, has_wrong: Tensor) -> Tensor:
    """Symmetric InfoNCE over unit embeddings [n, d].

    `same` [n, n] marks other pairs that show the same facts, which are no negatives. `wrong` [n, d] are wrong captions,
    one more negative for each picture where `has_wrong` [n].
    """
    scale = scale.exp().clamp(max=100)
    logits = scale * pictures @ texts.T
    others = same & ~torch.eye(len(same), dtype=torch.bool, device=same.device)
    logits = logits.masked_fill(others, float("-inf"))
    against = (scale * (pictures * wrong).sum(-1)).masked_fill(~has_wrong, float("-inf"))
    target = torch.arange(len(logits), device=logits.device)
    to_text = F.cross_entropy(torch.cat([logits, against[:, None]], 1), target)
    return (to_text + F.cross_entropy(logits.T, target)) / 2


def told_wrongly(scene: Scene, rng: random.Random) -> list[Scene]:
    """WRONG scenes that differ from this one in one thing: the relation turned round, the colors exchanged, and else a
    kind that is another. One whose colors are the same, exchanged, is the scene itself."""
    found: list[Scene] = []
    if scene.relation:
        first, second = scene.stickers
        exchanged = (replace(first, color=second.color), replace(second, color=first.color))
        found = [replace(scene, relation=OPPOSITE[scene.relation]), replace(scene, stickers=exchanged)]
    there = {sticker.kind for sticker in scene.stickers}
    while len(found) < WRONG:
        stickers = list(scene.stickers)
        index = rng.randrange(len(stickers))
        stickers[index] = replace(stickers[index], kind=rng.choice([kind for kind in KINDS if kind not in there]))
        found.append(replace(scene, stickers=tuple(stickers)))
    return found


def wrong_ids(tokenizer: CLIPTokenizer, chosen: Sequence[Scene], seed: int = 0) -> Tensor:
    """Token ids of all wrong captions in all styles, int [n, WRONG, STYLED, tokens]."""
    rng = random.Random(seed)
    texts = [caption(wrong, style) for scene in chosen for wrong in told_wrongly(scene, rng) for style in STYLES]
    ids = torch.cat([tokenize(tokenizer, texts[i : i + 8192]).short() for i in range(0, len(texts), 8192)])
    return ids.view(len(chosen), WRONG, STYLED, LENGTH)


def alike(chosen: Sequence[Scene]) -> list[Tensor]:
    """The scenes' indices by the color of the first sticker and the background."""
    groups: dict[tuple[str | None, str | None], list[int]] = {}
    for index, scene in enumerate(chosen):
        groups.setdefault((scene.stickers[0].color, scene.background), []).append(index)
    return [torch.tensor(rows) for _, rows in sorted(groups.items())]


def batch_rows(count: int, groups: Sequence[Tensor], step: int, generator: torch.Generator) -> Tensor:
    """BATCH indices: in even steps of any scenes, in odd ones of a single group. There color and background tell
    nothing apart, so that the kinds have to be seen."""
    if step % 2 == 0:
        return torch.randint(count, (BATCH,), generator=generator)
    group = groups[int(torch.randint(len(groups), (), generator=generator))]
    return group[torch.randint(len(group), (BATCH,), generator=generator)]


def train(steps: int, fresh: bool, rate: float = 1.0, seed: int = 0) -> tuple[CLIPModel, CLIPTokenizer]:
    """Train on renders and their captions and give back the averaged network with its tokenizer."""
    device = training_device()
    torch.manual_seed(seed)
    chosen = scenes(TRAINING_SCENES, seed=1)
    pictures = rendered("train", chosen, SIZE)
    tokenizer = make_tokenizer(FOLDER)
    ids = caption_ids(tokenizer, chosen)[:, :STYLED]
    wrong = wrong_ids(tokenizer, chosen)
    groups = alike(chosen)
    stored = not fresh and (FOLDER / "model.safetensors").exists()
    network = (CLIPModel.from_pretrained(FOLDER) if stored else build(tokenizer)).float().to(device).train()
    optimizer = Optimizer(
        network, muon_rate=0.01 * rate, adam_rate=1e-3 * rate,
        plain=("vision_model.embeddings", "text_model.embeddings", "visual_projection", "text_projection"),
    )  # fmt: skip
    run = Training("clip", network, optimizer, 0.998)
    progress = Progress("clip", steps)
    for step in range(run.first, steps):
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        rows = batch_rows(len(pictures), groups, step, generator)
        style = torch.randint(STYLED, (BATCH,), generator=generator)
        way = torch.randint(WRONG, (BATCH,), generator=generator)
        words = torch.cat([ids[rows, style], wrong[rows, way, style]]).long().to(device)
        has_wrong = (words[:BATCH] != words[BATCH:]).any(-1)
        x = to_tensor(pictures[rows.numpy()]).to(device)
        facts = ids[rows, 0].to(device)
        same = (facts[:, None] == facts[None]).all(-1)
        with torch.autocast(device.type, torch.bfloat16):
            told, told_wrong = embed_texts(network, words).chunk(2)
            loss = contrast(embed_pictures(network, x), told, told_wrong, network.logit_scale, same, has_wrong)
        optimizer.step(loss, cosine_rate(step, steps))
        run.average.update(network)
        progress.step(step + 1, f"loss {loss.item():.4f}")
        if (step + 1) % 250 == 0 or step + 1 == steps:
            run.save(step + 1)
    network.load_state_dict(run.average.values)
    return network.float().eval(), tokenizer


def store(network: CLIPModel, tokenizer: CLIPTokenizer) -> None:
    """Write the model as FP16, tokenizer and picture processor beside this file."""
    for old in FOLDER.glob("model*.safetensors*"):
        old.unlink()
    network.half().save_pretrained(FOLDER, max_shard_size="8.5MB")
    network.float()
    # Computed in FP32 by whoever loads it, though stored as FP16.
    config = FOLDER / "config.json"
    config.write_text(config.read_text().replace('"dtype": "float16"', '"dtype": "float32"'))
    tokenizer.save_pretrained(FOLDER)
    half = [0.5, 0.5, 0.5]
    processor = CLIPImageProcessor(
        size={"height": SIZE, "width": SIZE}, do_center_crop=False, image_mean=half, image_std=half
    )  # fmt: skip
    processor.save_pretrained(FOLDER)


@torch.no_grad()
def embed_scenes(network: CLIPModel, tokenizer: CLIPTokenizer, chosen: Sequence[Scene]) -> tuple[Tensor, Tensor]:
    """Unit embeddings of the scenes' renders and of their plain captions, each [n, 128]."""
    pictures = np.stack([np.asarray(render(scene, SIZE)[0]) for scene in chosen])
    seen = [embed_pictures(network, to_tensor(pictures[i : i + 64])) for i in range(0, len(pictures), 64)]
    words = embed_texts(network, tokenize(tokenizer, [caption(s) for s in chosen]))
    return torch.cat(seen), words


@torch.no_grad()
def class_embeddings(network: CLIPModel, tokenizer: CLIPTokenizer, classes: Sequence[Sequence[str]]) -> Tensor:
    """For each class the mean unit embedding of its prompts, [classes, 128]: prompt ensembling, as Radford et al. 2021
    (section 3.1.4) do it."""
    means = [embed_texts(network, tokenize(tokenizer, prompts)).mean(0) for prompts in classes]
    return F.normalize(torch.stack(means), dim=-1)


def evaluate(network: CLIPModel, tokenizer: CLIPTokenizer, count: int = 1000) -> dict[str, float]:
    """Recall@1 both ways among unseen scenes with captions of their own, how often a caption is preferred to the same
    one with its relation turned round, and zero-shot kind and color of as many unseen lone stickers."""
    found = {caption(s): s for s in scenes(4 * count, seed=8, testing=True)}
    chosen = list(found.values())[:count]
    pictures, words = embed_scenes(network, tokenizer, chosen)
    scores = pictures @ words.T
    target = torch.arange(len(chosen))
    lone = [s for s in scenes(12 * count, seed=8, testing=True) if len(s.stickers) == 1][:count]
    alone, _ = embed_scenes(network, tokenizer, lone)
    kinds, colors = [s.stickers[0].kind for s in lone], [s.stickers[0].color for s in lone]
    grounds = list(BACKGROUNDS)
    # [kinds, colors * grounds, 128]: every caption that a lone sticker can have.
    told = [[caption(Scene((Sticker(k, c),), None, g)) for c in COLORS for g in grounds] for k in KINDS]
    every = torch.stack([embed_texts(network, tokenize(tokenizer, prompts)) for prompts in told])
    bare = class_embeddings(network, tokenizer, [[f"a {kind}"] for kind in KINDS])
    by_mean = (alone @ F.normalize(every.mean(1), dim=-1).T).argmax(1)
    by_best = torch.einsum("nd,ktd->nkt", alone, every).amax(2).argmax(1)
    painted = F.normalize(every.unflatten(1, (len(COLORS), -1)).mean(2), dim=-1)
    wanted = torch.tensor([KINDS.index(kind) for kind in kinds])
    color_right = [
        list(COLORS)[int((painted[k] @ picture).argmax())] == color
        for k, picture, color in zip(wanted.tolist(), alone, colors, strict=True)
    ]
    related = [i for i, s in enumerate(chosen) if s.relation]
    turned = [caption(Scene(chosen[i].stickers, OPPOSITE[chosen[i].relation], chosen[i].background)) for i in related]
    with torch.no_grad():
        wrong = (pictures[related] * embed_texts(network, tokenize(tokenizer, turned))).sum(-1)
    return {
        "recall@1, picture to caption": float((scores.argmax(1) == target).float().mean()),
        "recall@1, caption to picture": float((scores.argmax(0) == target).float().mean()),
        "caption preferred to its relation turned round": float((scores.diagonal()[related] > wrong).float().mean()),
        "zero-shot kind, the caption that fits best": float((by_best == wanted).float().mean()),
        "zero-shot kind, mean over captions": float((by_mean == wanted).float().mean()),
        "zero-shot kind, from the bare noun": float(((alone @ bare.T).argmax(1) == wanted).float().mean()),
        "zero-shot color": float(np.mean(color_right)),
        "lone stickers": float(len(lone)),
    }  # fmt: skip


def main() -> None:
    """Train, store and evaluate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=1.0, help="share of the full learning rate")
    parser.add_argument("--fresh", action="store_true", help="do not start from the committed weights")
    parser.add_argument("--evaluate", action="store_true", help="only print the figures of the stored weights")
    options = parser.parse_args()
    if options.evaluate:
        network, tokenizer = CLIPModel.from_pretrained(FOLDER).float().eval(), CLIPTokenizer.from_pretrained(FOLDER)
    else:
        network, tokenizer = train(options.steps, options.fresh, options.rate)
        store(network, tokenizer)
    for name, value in evaluate(network, tokenizer).items():
        print(f"{name}: {value:.4f}")


if __name__ == "__main__":
    main()
