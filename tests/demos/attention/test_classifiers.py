from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import save_model
from transformers import ConvNextConfig, ConvNextForImageClassification, ResNetConfig, ResNetForImageClassification

from demos.attention import classifiers
from demos.attention.gradcam import grad_cam
from shared import models
from shared.demo import DemoError
from shared.models import load_scene_reader
from shared.reader import prepare
from shared.stickers import BACKGROUNDS, COLORS, KINDS


@pytest.fixture
def reader(tiny):
    return classifiers.of_reader(load_scene_reader())


def noise(side):
    return Image.fromarray(np.random.default_rng(0).integers(0, 255, (side, side, 3), dtype=np.uint8))


def test_the_readers_answers_stand_in_one_row(reader):
    assert len(reader.classes) == len(KINDS) * (1 + len(COLORS)) + len(BACKGROUNDS)
    picture = noise(128)
    inputs = reader.inputs(picture)
    assert torch.allclose(inputs, prepare([picture]))
    logits, whole = reader.network(inputs), reader.loaded.model(inputs)
    kind, color = KINDS.index("car"), list(COLORS).index("red")
    assert logits[0, reader.index("car")] == whole.presence[0, kind]
    assert logits[0, reader.index("red car")] == whole.color[0, kind, color]
    background = f"{list(BACKGROUNDS)[2]} background"
    assert logits[0, reader.index(background)] == whole.background[0, 2]
    shares = [float(reader.probability(logits, reader.index(f"{c} car"))) for c in COLORS]
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    alone = float(reader.probability(logits, reader.index("car")))
    assert alone == pytest.approx(float(torch.sigmoid(whole.presence[0, kind])))


def test_classes_are_found_by_name_or_number_and_others_hinted_at(reader):
    assert reader.index(" Red  CAR ") == reader.classes.index("red car") and reader.index("3") == 3
    with pytest.raises(DemoError, match=r"has no class “cra”: did you mean .*car"):
        reader.index("cra")
    with pytest.raises(DemoError, match=f"classes 0 to {len(reader.classes) - 1}, not 999"):
        reader.index("999")


def test_frames_have_the_same_probability_as_pictures(reader):
    picture = noise(128)
    target = reader.index("car")
    frames = np.stack([np.asarray(picture, dtype=np.float32)] * 3)
    one = float(reader.probability(reader.network(reader.inputs(picture)), target))
    assert reader.probabilities_of(frames, target, batch=2) == pytest.approx([one] * 3, abs=1e-5)
    assert reader.classes[reader.likeliest(picture)] == reader.best(picture)[0][0]


def test_a_word_names_its_class():
    assert classifiers.target_of(["car"], "car", "red", "mint") == "car"
    assert classifiers.target_of(["red"], "car", "red", "mint") == "red car"
    assert classifiers.target_of(["background"], None, None, "mint") == "mint background"
    assert classifiers.target_of(["left"], None, None, "mint") == ""


def small_resnet():
    config = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", num_labels=4)
    return ResNetForImageClassification(config)


def small_convnext():
    return ConvNextForImageClassification(
        ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, num_labels=4)
    )


@pytest.mark.parametrize(("name", "make"), [
    ("microsoft/resnet-50", small_resnet), ("facebook/convnext-tiny-224", small_convnext)
])  # fmt: skip
def test_a_folder_in_hub_layout_is_a_classifier(name, make, tiny, monkeypatch, tmp_path):
    torch.manual_seed(0)
    folder = tmp_path / name
    network = make()
    folder.mkdir(parents=True)
    network.config.save_pretrained(folder)
    save_model(network, str(folder / "model.safetensors"), metadata={"format": "pt"})
    monkeypatch.setenv("GALLERY_MODELS", str(tmp_path))
    models.forget()
    found = classifiers.load(name)
    assert len(found.classes) == 4 and found.size == 224
    cam = grad_cam(found.network, found.inputs(noise(224)), found.index("1"))
    assert min(cam.values.shape) > 4


def test_a_classifier_of_a_local_folder_alone_says_where_it_belongs(tiny):
    with pytest.raises(DemoError, match="under GALLERY_MODELS as facebook/convnext-tiny-224"):
        classifiers.load("facebook/convnext-tiny-224")
