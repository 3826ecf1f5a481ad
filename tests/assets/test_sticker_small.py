"""The small U-Net: what is left of the teacher's blocks, and which of its weights."""

from __future__ import annotations

import pytest
import torch
from diffusers import UNet2DConditionModel

from assets.sticker_diffusion.recipe import FOLDER
from assets.sticker_small.recipe import build_unet, inherit
from shared import models


@pytest.fixture(scope="module")
def teacher() -> UNet2DConditionModel:
    return UNet2DConditionModel.from_pretrained(FOLDER / "unet").float().eval()


def count(network: torch.nn.Module) -> int:
    return sum(p.numel() for p in network.parameters())


def test_it_has_less_than_a_third_of_the_parameters(teacher: UNet2DConditionModel) -> None:
    student = build_unet(teacher)
    assert count(student) < count(teacher) / 3
    if models.is_here("sticker_small"):
        assert count(models.load_pipeline("sticker_small").model.unet) == count(student)


def test_blocks_that_are_left_begin_with_the_teachers_weights(teacher: UNet2DConditionModel) -> None:
    student = build_unet(teacher)
    inherit(student, teacher)
    ours, theirs = student.state_dict(), teacher.state_dict()
    for name, source in (
        ("conv_in.weight", "conv_in.weight"),
        ("down_blocks.1.resnets.0.conv1.weight", "down_blocks.1.resnets.0.conv1.weight"),
        ("up_blocks.0.resnets.1.conv1.weight", "up_blocks.1.resnets.1.conv1.weight"),
        ("up_blocks.1.resnets.0.conv2.weight", "up_blocks.2.resnets.0.conv2.weight"),
    ):
        assert torch.equal(ours[name], theirs[source])
    joined, source = ours["up_blocks.0.resnets.0.conv1.weight"], theirs["up_blocks.1.resnets.0.conv1.weight"]
    assert joined.shape[1] == 320 and source.shape[1] == 384
    assert torch.equal(joined[:, 160:], source[:, 224:]) and not joined[:, :160].any()


def test_it_begins_nearer_to_the_teacher_than_a_random_one(teacher: UNet2DConditionModel) -> None:
    torch.manual_seed(0)
    student, fresh = build_unet(teacher).eval(), build_unet(teacher).eval()
    inherit(student, teacher)
    x, steps, words = torch.randn(4, 8, 16, 16), torch.tensor([999, 700, 400, 100]), torch.randn(4, 32, 192)
    with torch.no_grad():
        wanted, found, random = (net(x, steps, words).sample for net in (teacher, student, fresh))
    assert (found - wanted).square().mean() < 0.1 * (random - wanted).square().mean()
