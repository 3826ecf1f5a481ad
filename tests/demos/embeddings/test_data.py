"""The data sets by name, and what a model embeds, with tiny seeded models in a local folder."""

from __future__ import annotations

import colorsys
import io
import zipfile

import numpy as np
import pytest
import torch
from PIL import Image, ImageColor
from scipy.spatial.distance import pdist
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertModel, CLIPConfig, CLIPModel, PreTrainedTokenizerFast

from demos.embeddings import data, pictures
from demos.embeddings.points import SAMPLE_SEED, Points, prepare, sample
from demos.embeddings.settings import EmbeddingSettings
from shared import models
from shared.demo import DemoError, no_progress
from shared.stickers import COLORS
from tests.tiny import tiny_tokenizer, write_tiny_assets

REAL_ASSETS = models.ASSETS


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Tiny models where the registry looks: a reader in assets, MiniLM and CLIP in a local folder."""
    assets = write_tiny_assets(tmp_path_factory.mktemp("assets"))
    own = tmp_path_factory.mktemp("own")
    write_tiny_clip(own / models.resolve("clip").hub)
    torch.manual_seed(0)
    vocabulary = {
        w: i for i, w in enumerate(["[PAD]", "[UNK]", *["red", "green", "blue", "one", "two", "three", "cat", "dog"]])
    }
    words = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    sentences = own / models.resolve("minilm").hub
    PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(sentences)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(vocabulary), **shape)).save_pretrained(sentences)
    return assets, own


def write_tiny_clip(folder):
    torch.manual_seed(0)
    tokenizer = tiny_tokenizer()
    part = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    text = part | {
        "vocab_size": len(tokenizer),
        "max_position_embeddings": 24,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    config = CLIPConfig(text_config=text, vision_config=part | {"image_size": 16, "patch_size": 8}, projection_dim=8)
    CLIPModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@pytest.fixture(autouse=True)
def _registry(monkeypatch, folders):
    monkeypatch.setattr(models, "ASSETS", folders[0])
    monkeypatch.setenv("GALLERY_MODELS", str(folders[1]))
    models.forget()
    pictures._embedded.clear()
    yield
    models.forget()
    pictures._embedded.clear()


def test_digits():
    found = data.digits()
    assert found.features.shape == (1797, 64) and set(found.labels) == set("0123456789")
    assert found.thumbs is not None and found.thumbs.shape == (1797, 8, 8) and found.thumbs.dtype == np.uint8
    assert found.thumbs[0, 0, 0] == 255 - round(found.features[0, 0] * 255 / 16)


def test_clusters_keep_the_distances_of_the_plane():
    found = data.clusters(120)
    assert found.truth is not None and found.features.shape == (120, 10)
    assert np.allclose(pdist(found.features), pdist(found.truth))
    spread = {label: found.truth[[i for i, x in enumerate(found.labels) if x == label]].std() for label in found.labels}
    assert max(spread.values()) > 5 * min(spread.values())


def test_rings_are_linked():
    found = data.rings(200)
    first, second = found.features[0::2], found.features[1::2]
    assert np.allclose(np.linalg.norm(first, axis=1), 1) and np.allclose(first[:, 2], 0)
    # The second ring goes through the disc of the first once, and around its outside once.
    crossings = second[np.abs(second[:, 2]) < 1e-9]
    assert sorted(np.linalg.norm(crossings[:, :2], axis=1) < 1) == [False, True]


def test_the_trefoil_is_one_closed_line_and_noise_is_round():
    knot = data.trefoil(400).features
    steps = np.linalg.norm(np.roll(knot, -1, axis=0) - knot, axis=1)
    assert steps.max() < 2.5 * steps.min() and steps.max() < 0.1
    noise = data.noise(3000)
    values = np.linalg.eigvalsh(np.cov(noise.features.T))
    assert noise.labels == () and values.min() > 0.7 and values.max() < 1.4


def test_a_sample_is_always_the_same_and_keeps_what_belongs_together():
    whole = data.digits()
    part = sample(whole, 50)
    at = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(1797)[:50])
    assert np.array_equal(part.features, whole.features[at]) and part.labels == tuple(whole.labels[i] for i in at)
    assert np.array_equal(part.thumbs, whole.thumbs[at]) and part.rows == 1797 and part.sampled
    assert sample(whole, 5000) is whole and not whole.sampled


def test_standardized_columns_have_mean_0_and_spread_1():
    found = prepare(data.clusters(60), True)
    assert found.features.mean(axis=0) == pytest.approx(np.zeros(10), abs=1e-9)
    assert found.features.std(axis=0) == pytest.approx(np.ones(10))


@pytest.mark.parametrize("factor", [1e-310, 1e-200, 1e140])
@pytest.mark.parametrize("standardize", [False, True])
def test_numbers_far_from_one_keep_their_distances(factor, standardize):
    values = np.random.default_rng(0).normal(size=(12, 3))
    plain, far = (prepare(Points("your table", values * f), standardize).features for f in (1.0, factor))
    assert pdist(far) / pdist(far).max() == pytest.approx(pdist(plain) / pdist(plain).max(), rel=1e-4)


def test_sticker_pictures_by_the_readers_features():
    found = data.load(EmbeddingSettings(dataset="stickers", n_points=12), no_progress)
    assert (len(found), found.model, found.weights) == (12, "scene_reader", "bundled")
    assert found.thumbs.shape == (12, 32, 32, 3)
    assert set(found.labels) <= set(COLORS) == set(found.looks)
    assert all(f" {label} " in text for label, text in zip(found.labels, found.texts, strict=True))
    # Each look is nearest in hue to the color whose name it has.
    hues = {name: colorsys.rgb_to_hsv(*ImageColor.getrgb(look))[0] for name, look in COLORS.items()}
    for name, looks in found.looks.items():
        for look in looks:
            hue = colorsys.rgb_to_hsv(*ImageColor.getrgb(look))[0]
            away = {other: min(abs(hue - h), 1 - abs(hue - h)) for other, h in hues.items() if other != "brown"}
            assert name in ("brown", min(away, key=lambda other: away[other]))
    again = data.load(EmbeddingSettings(dataset="stickers", n_points=12), no_progress)
    assert np.array_equal(found.features, again.features)


def test_the_joint_space_waits_for_its_model_and_then_works_by_itself(folders, monkeypatch, tmp_path):
    with pytest.raises(DemoError) as error:
        data.load(EmbeddingSettings(dataset="joint", n_points=12), no_progress)
    assert str(error.value) == (
        "dataset: “joint” needs the bundled model sticker_clip, which is not here; every other data set works."
    )
    write_tiny_clip(tmp_path / "sticker_clip")
    monkeypatch.setattr(models, "ASSETS", tmp_path)
    found = data.load(EmbeddingSettings(dataset="joint", n_points=12), no_progress)
    assert found.labels == ("picture",) * 6 + ("caption",) * 6 and found.texts[:6] == found.texts[6:]
    seen, read = found.features[:6], found.features[6:]
    assert np.allclose(np.linalg.norm(found.features, axis=1), 1, atol=1e-6)
    assert found.gap == pytest.approx(np.linalg.norm(seen.mean(axis=0) - read.mean(axis=0)))
    assert found.pair_distance == pytest.approx(
        np.mean([np.linalg.norm(a - b) for a, b in zip(seen, read, strict=True)])
    )
    assert (found.thumbs[6:] == found.thumbs[6]).all() and not (found.thumbs[0] == found.thumbs[6]).all()
    stickers = data.load(EmbeddingSettings(dataset="stickers", n_points=12), no_progress)
    assert stickers.model == "sticker_clip"
    before = data.load(EmbeddingSettings(dataset="untrained", n_points=12), no_progress)
    assert before.weights == "untrained, seed 0" and before.texts == found.texts
    pictures._embedded.clear()
    again = data.load(EmbeddingSettings(dataset="untrained", n_points=12), no_progress)
    assert np.array_equal(before.features, again.features)


def test_the_bundled_clip_has_closed_the_gap_that_it_started_with(monkeypatch):
    monkeypatch.setattr(models, "ASSETS", REAL_ASSETS)
    before, after = (
        data.load(EmbeddingSettings(dataset=name, n_points=40), no_progress) for name in ("untrained", "joint")
    )
    assert before.gap > 0.5 > 2 * after.gap and after.weights == "bundled"
    nearest = (after.features[:20] @ after.features[20:].T).argmax(axis=1)
    assert (nearest == np.arange(20)).mean() >= 0.8


def test_lines_of_text():
    text = "red cat\n\ngreen dog\nblue cat\n  \none two three\nred cat\0\n"
    found = data.load(EmbeddingSettings(dataset="text", text=text), no_progress)
    assert found.texts == ("red cat", "green dog", "blue cat", "one two three", "red cat")
    assert found.notes == ("2 empty lines dropped.",) and found.model == "minilm" and found.weights == "local folder"
    assert np.allclose(found.features[0], found.features[4], atol=1e-6)
    assert np.allclose(np.linalg.norm(found.features, axis=1), 1, atol=1e-6)
    with pytest.raises(DemoError, match="text: at least 4 lines are needed, and there are 2"):
        data.load(EmbeddingSettings(dataset="text", text="a\nb"), no_progress)


def test_a_zip_of_pictures(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for i in range(6):
            file = io.BytesIO()
            Image.new("RGB", (30 + i, 20), (40 * i, 90, 0)).save(file, "PNG")
            archive.writestr(f"{'cats' if i % 2 else 'dogs'}/<b>{i}.png", file.getvalue())
        archive.writestr("dogs/broken.jpg", b"x")
        archive.writestr("readme.txt", b"x")
    found = data.load(EmbeddingSettings(dataset="upload", upload=str(tmp_path / "a.zip")), no_progress)
    assert found.features.shape == (6, 8) and sorted(set(found.labels)) == ["cats", "dogs"]
    assert found.notes == ("1 picture that can't be read dropped.",) and found.thumbs.shape == (6, 32, 32, 3)


def test_without_clip_the_classifier_reads_photos_and_it_is_said(tmp_path, monkeypatch):
    class Tiny(torch.nn.Module):
        def extract_features(self, pixels):
            return pixels[:, :, ::56, ::56]

    def nowhere(name):
        raise DemoError("clip could not be had")

    row = models.resolve("efficientnet_lite0")
    tiny = models.Loaded(row, Tiny(), "package", torch.device("cpu"), torch.float32)
    monkeypatch.setattr(pictures, "load_clip", nowhere)
    monkeypatch.setattr(pictures, "load_classifier", lambda name: tiny)
    monkeypatch.setattr(pictures, "is_here", lambda name: name == "efficientnet_lite0")
    colors = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (250, 250, 0))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for color in colors:
            file = io.BytesIO()
            Image.new("RGB", (50, 40), color).save(file, "PNG")
            archive.writestr(f"{color[0]}-{color[1]}-{color[2]}.png", file.getvalue())
    settings = EmbeddingSettings(dataset="upload", upload=str(tmp_path / "a.zip"))
    found = data.load(settings, no_progress)
    expected = np.array([[(v - 127) / 128 for v in color] for color in colors])
    assert np.allclose(found.features, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-3)
    assert found.model == "efficientnet_lite0" and found.labels == ()
    assert found.notes == ("CLIP is not here, so the ImageNet classifier EfficientNet-Lite0 read the pictures.",)
    monkeypatch.setattr(pictures, "is_here", lambda name: False)
    with pytest.raises(DemoError, match="clip could not be had"):
        data.load(settings, no_progress)


def test_a_model_that_is_nowhere_is_said(monkeypatch):
    monkeypatch.delenv("GALLERY_MODELS")
    monkeypatch.setattr(
        "huggingface_hub.snapshot_download", lambda *_, **__: (_ for _ in ()).throw(OSError("no network"))
    )
    with pytest.raises(DemoError, match="minilm could not be had from the Hub: connect this machine to it, or put"):
        data.load(EmbeddingSettings(dataset="text", text="a\nb\nc\nd"), no_progress)
