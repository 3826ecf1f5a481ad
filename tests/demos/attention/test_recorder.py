from __future__ import annotations

import pytest
import torch
from diffusers import UNet2DConditionModel
from diffusers.models.attention_processor import AttnProcessor, AttnProcessor2_0

from demos.attention.recorder import cross_attention_layers, grid, record

TOKENS = 5


def tiny_unet(seed=0, linear=False, only_cross=False):
    torch.manual_seed(seed)
    unet = UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, block_out_channels=(16, 32), layers_per_block=1,
        cross_attention_dim=24, attention_head_dim=(2, 4), norm_num_groups=8, use_linear_projection=linear,
        only_cross_attention=only_cross, down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
    )  # fmt: skip
    return unet.eval().requires_grad_(False)


def inputs(rows=2, size=(8, 8), seed=1):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 4, *size, generator=generator)
    return x, torch.tensor(100), torch.randn(rows, TOKENS, 24, generator=generator)


@torch.no_grad()
def run(unet, x, t, text):
    return unet(x, t, encoder_hidden_states=text).sample


def by_hand(unet, name, x, t, text):
    """softmax(q k / sqrt(d)) of one layer, from what goes into it."""
    layer, heard = unet.get_submodule(name), {}
    hook = layer.register_forward_pre_hook(
        lambda m, args, kwargs: heard.update(x=args[0] if args else kwargs["hidden_states"]), with_kwargs=True
    )
    run(unet, x, t, text)
    hook.remove()
    q, k = layer.to_q(heard["x"]), layer.to_k(text)
    maps = []
    for h in range(layer.heads):
        d = q.shape[-1] // layer.heads
        part = slice(h * d, (h + 1) * d)
        maps.append(torch.softmax(q[..., part] @ k[..., part].transpose(1, 2) / d**0.5, -1))
    return torch.stack(maps, 1)


@pytest.mark.parametrize("linear", [False, True])  # Stable Diffusion 1.5's layout and SDXL's
def test_it_records_what_attention_by_hand_gives(linear):
    unet, given = tiny_unet(linear=linear), inputs()
    with record(unet, heads=True) as recording:
        run(unet, *given)
    assert set(recording.layers) == set(cross_attention_layers(unet)) and len(recording.layers) == 7
    for name, found in recording.heads.items():
        true = by_hand(unet, name, *given)
        assert found.flatten(-2).transpose(-1, -2) == pytest.approx(true.numpy(), abs=1e-5)
        assert torch.allclose(recording.layers[name], found.mean(1), atol=1e-6)
        assert torch.allclose(found.sum(2), torch.ones(()), atol=1e-5)


def test_it_takes_the_mean_over_calls_in_the_memory_of_one():
    unet = tiny_unet()
    singles, sizes = [], []
    for seed in (1, 2, 3):
        with record(unet) as one:
            run(unet, *inputs(seed=seed))
        singles.append(one)
    with record(unet) as recording:
        for seed in (1, 2, 3):
            run(unet, *inputs(seed=seed))
            sizes.append(recording.nbytes())
    name = next(iter(recording.layers))
    mean = torch.stack([s.layers[name] for s in singles]).mean(0)
    assert torch.allclose(recording.layers[name], mean, atol=1e-6)
    assert recording.calls[name] == 3 and len(set(sizes)) == 1


def test_under_guidance_only_the_half_with_the_prompt_is_kept():
    unet = tiny_unet()
    x, t, text = inputs(rows=4)
    with record(unet, guided=True) as half:
        run(unet, x, t, text)
    with record(unet) as whole:
        run(unet, x, t, text)
    for name, found in half.layers.items():
        assert torch.equal(found, whole.layers[name][2:])


def test_chosen_heads_alone_are_averaged():
    unet, given = tiny_unet(), inputs()
    with record(unet, heads=True) as every:
        run(unet, *given)
    name = list(every.heads)[1]
    with record(unet, choose={name: (1,)}) as one:
        run(unet, *given)
    assert list(one.layers) == [name] and torch.equal(one.layers[name], every.heads[name][:, 1])


def test_sizes_that_are_not_square():
    unet = tiny_unet()
    with record(unet) as recording:
        run(unet, *inputs(size=(6, 10)))
    assert {tuple(m.shape[-2:]) for m in recording.layers.values()} == {(6, 10), (3, 5)}
    assert grid((7, 9), 4 * 5) == (4, 5)
    with pytest.raises(ValueError, match="no halving"):
        grid((8, 8), 13)


def test_where_blocks_only_read_words_their_first_attention_is_recorded_too():
    plain, only = cross_attention_layers(tiny_unet()), cross_attention_layers(tiny_unet(only_cross=True))
    assert set(only) > set(plain)
    assert all(name.endswith("attn1") for name in set(only) - set(plain))
    with record(unet := tiny_unet(only_cross=True)) as recording:
        run(unet, *inputs())
    assert set(recording.layers) == set(only)
    assert all(m.shape[1] == TOKENS for m in recording.layers.values())


def test_pictures_are_bit_equal_to_the_plain_processor_and_close_to_the_fused_one():
    unet, given = tiny_unet(), inputs()
    fused = run(unet, *given)
    with record(unet):
        recorded = run(unet, *given)
    assert all(isinstance(p, AttnProcessor2_0) for p in unet.attn_processors.values())
    unet.set_attn_processor(AttnProcessor())
    assert torch.equal(recorded, run(unet, *given))
    assert (recorded - fused).abs().max() < 2 / 255


def test_processors_and_hooks_are_as_before_after_success_and_failure():
    unet = tiny_unet()
    before = dict(unet.attn_processors)
    with record(unet):
        run(unet, *inputs())
    assert unet.attn_processors == before and not unet._forward_pre_hooks
    with pytest.raises(RuntimeError, match="stopped"), record(unet):
        raise RuntimeError("stopped")
    assert unet.attn_processors == before and not unet._forward_pre_hooks


def test_layers_and_heads_that_are_not_there_are_named():
    unet = tiny_unet()
    with pytest.raises(ValueError, match="no cross-attention layer 'nowhere'"), record(unet, choose={"nowhere": ()}):
        pass
    name = next(iter(cross_attention_layers(unet)))
    with pytest.raises(ValueError, match="heads 0 to"), record(unet, choose={name: (99,)}):
        pass
