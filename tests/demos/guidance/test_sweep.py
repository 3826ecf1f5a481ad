from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from demos.guidance import DEMO, run_sweep
from demos.guidance.compute import compare
from demos.guidance.heat_maps import heat_maps
from demos.guidance.settings import GuidanceSettings, SweepSettings
from demos.guidance.sweep_takeaway import Marks, idle_axes, marks, say
from shared import models
from shared.comparison import Measure, Side
from shared.demo import Cancelled
from shared.sampling import Sampling
from shared.settings import SettingsError

GRID = {"guidances": "1, 7.5", "steps": "3, 7.0", "seeds": "13, 14"}


def sweep(progress=None, **values):
    return run_sweep(SweepSettings.check(GRID | values), progress)


def test_a_side_per_cell_with_its_values(tiny):
    c = sweep()
    assert [s.label for s in c.sides] == [
        "guidance 1 · 3 steps", "guidance 7.5 · 3 steps", "guidance 1 · 7 steps", "guidance 7.5 · 7 steps",
    ]  # fmt: skip
    assert [s.measure("unet_calls").value for s in c.sides] == [3, 6, 7, 14]
    assert c.complete and c.settings["model"] == c.environment["model"] == "sticker_diffusion"
    assert c.sides[0].captions == ("guidance 1 · 3 steps · ddim · seed 13", "seed 14")
    assert all(s.arrays["latents"].shape == (2, 8, 8, 8) and len(s.images) == 2 for s in c.sides)
    json.dumps(c.to_dict(), allow_nan=False)


@pytest.mark.parametrize("scheduler", ["ddim", "dpm++", "euler", "ddpm"])
def test_cells_are_what_the_comparison_draws(tiny, scheduler):
    c = sweep(scheduler=scheduler)
    plain = compare(
        GuidanceSettings.check({"guidance_a": 1, "guidance_b": 7.5, "steps_a": 3, "steps_b": 7, "samples": 2,
                                "seed": 13, "scheduler_a": scheduler, "scheduler_b": scheduler})
    )  # fmt: skip
    for cell, side in ((c.sides[0], plain.sides[0]), (c.sides[3], plain.sides[1])):
        for ours, theirs in ((cell.images[0], side.images[0]), (cell.images[1], side.images[-1])):
            assert np.abs(np.asarray(ours).astype(int) - np.asarray(theirs)).max() <= 2
        assert cell.measure("adherence").value == side.measure("adherence").value


def test_progress_counts_unet_calls_and_ends_at_their_sum(tiny):
    told = []
    sweep(lambda *step: told.append(step))
    assert told[0] == (0, 30, "U-Net calls") and told[-1] == (30, 30, "U-Net calls")
    done = [d for d, _, _ in told]
    assert done == sorted(done)


def test_cancel_stops_within_two_calls_and_keeps_what_is_done(tiny):
    unet, calls, at = models.load_pipeline("auto").model.unet, [], []

    def cancel(done: int, total: int, unit: str) -> None:
        if done >= 18:  # the short cells are done
            at.append(len(calls))
            raise Cancelled

    hook = unet.register_forward_pre_hook(lambda *a: calls.append(1))
    try:
        c = sweep(cancel, guidances="1, 3, 7.5", steps="2, 40")
    finally:
        hook.remove()
    assert len(calls) - at[0] <= 2
    assert not c.complete and [s.label for s in c.sides] == [f"guidance {g} · 2 steps" for g in ("1", "3", "7.5")]
    assert "Stopped early: 3 of 6 cells." in c.takeaway
    whole = sweep(guidances="1, 3, 7.5", steps="2, 40")
    assert np.abs(np.asarray(c.sides[1].images[0]).astype(int) - np.asarray(whole.sides[1].images[0])).max() <= 2


def test_cancelled_before_anything_is_done(tiny):
    def cancel(*step) -> None:
        raise Cancelled

    c = sweep(cancel)
    assert (c.sides, c.figures, c.complete) == ((), (), False)
    assert c.takeaway == "No cell was drawn: it was stopped before the first was done."
    assert not models.load_pipeline("auto").lock.locked()


def test_a_cell_that_fails_is_a_labelled_blank(tiny, monkeypatch):
    advance = Sampling.advance

    def fail(self, noise) -> None:
        if self.plan.guidance == 7.5 and self.plan.steps == 7 and self.done == 2:
            self.latents = torch.full_like(self.latents, float("nan"))
        advance(self, noise)

    monkeypatch.setattr(Sampling, "advance", fail)
    c = sweep()
    failed = c.sides[3]
    assert failed.label == "guidance 7.5 · 7 steps" and failed.images == ()
    assert failed.measures[0].value is None and "overflowed" in failed.measures[0].note
    assert all(side.images for side in c.sides[:3]) and c.complete
    assert "1 of 4 cells failed: The numbers of a picture overflowed" in c.takeaway
    assert c.figures[0].data[0].text[1][1] == "failed"


def test_an_axis_that_changes_nothing_is_named(tiny):
    assert "the guidance axis changed nothing" in sweep(prompt="", guidances="2, 5").takeaway
    changing = sweep(guidances="1, 30")
    assert idle_axes(changing.sides) == () or "changed nothing" in changing.takeaway


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"guidances": "1, x"}, "guidances: “x” is neither a number nor a range"),
        ({"steps": "7.5"}, "steps: 7.5 is no whole number."),
        ({"steps": "0-100 (+20)"}, "steps: 0 is outside 1 to 100."),
        ({"guidances": "1-10", "steps": "1-4"}, "10 guidance scales and 4 step counts are 40 cells: up to 36"),
        ({"seeds": "1-9"}, "seeds: 9 values are too many: there may be up to 8."),
        ({"seeds": "13-99"}, "seeds: 87 values are too many: there may be up to 8."),
        ({"guidances": "31"}, "guidances: 31 is outside 0 to 30."),
        ({"seeds": str(2**63)}, "is outside 0 to 9,223,372,036,854,775,807."),
        ({"model": "someone/else"}, "model must be one of auto, sticker_diffusion"),
    ],
)
def test_mistakes_name_the_field(values, sentence):
    with pytest.raises(SettingsError) as caught:
        SweepSettings.check(GRID | values)
    assert sentence in str(caught.value)


def test_axes_come_as_text_lists_or_numbers():
    s = SweepSettings.check({"guidances": [1, 7.5], "steps": 7, "seeds": "1;2"})
    assert (s.guidance_values, s.step_values, s.seed_values) == ((1, 7.5), (7,), (1, 2))
    assert SweepSettings.from_query({"guidances": "1; 7,5"}).guidance_values == (1, 7.5)
    assert SweepSettings.from_query(s.to_query()) == s
    assert DEMO.studies[0].Settings is SweepSettings


def cell(guidance, steps, adherence, saturation=0.1, low=None, high=None, images=()) -> Side:
    calls = steps * (1 if guidance == 1 else 2)
    return Side(
        f"guidance {guidance:g} · {steps} steps",
        (
            Measure("adherence", adherence, "share", "higher", "n", low, high),
            Measure("saturation", saturation, "share", "lower", "n"),
            Measure.exact("unet_calls", calls, "per picture", "lower"),
        ),
        images,
    )


def test_marks():
    sides = (cell(1, 10, 0.5), cell(5, 10, 0.90), cell(1, 20, 0.6), cell(5, 20, 0.94, 0.2))
    assert marks(sides, "adherence") == Marks(best=3, cheapest=1)
    assert marks((*sides[:1], cell(5, 20, 0.95)), "adherence") == Marks(1, 1)
    assert marks((cell(5, 20, None), cell(5, 10, None)), "adherence") is None


def test_equal_values_are_tied():
    sides = (cell(1, 10, 0.5), cell(5, 10, 0.90), cell(1, 20, 0.6), cell(5, 20, 0.94, 0.2))
    found = marks(sides, "saturation")  # three cells have 0.1
    assert found == Marks(best=0, cheapest=0, equal=(1, 2)) and found.tied


def test_cells_within_the_intervals_are_tied():
    sides = (cell(1, 10, 0.5, low=0.4, high=0.6), cell(5, 10, 0.9, low=0.85, high=0.95),
             cell(5, 20, 0.94, low=0.9, high=0.98))  # fmt: skip
    assert marks(sides, "adherence") == Marks(best=2, cheapest=1, close=(1,))
    apart = (sides[0], cell(5, 10, 0.9, low=0.88, high=0.92), cell(5, 20, 0.98, low=0.97, high=0.99))
    found = marks(apart, "adherence")
    assert found is not None and (found.best, found.tied) == (2, False)


def test_the_takeaway_says_what_is_tied():
    def told(*cells) -> str:
        return say([cell(5, s, v, low=low, high=high, images=picture()) for s, v, low, high in cells], len(cells))

    equal = told((5, 0.9, 0.85, 0.95), (10, 0.9, 0.85, 0.95), (20, 0.2, 0.1, 0.3))
    assert "highest at guidance 5 · 5 steps (0.90), tied with 1 cell of the same value" in equal
    close = told((5, 0.9, 0.85, 0.95), (10, 0.92, 0.87, 0.97), (20, 0.93, 0.9, 0.96))
    assert "highest at guidance 5 · 20 steps (0.93), equal within the intervals to 2 others" in close
    alone = told((5, 0.2, 0.1, 0.3), (10, 0.3, 0.2, 0.4), (20, 0.93, 0.9, 0.96))
    assert "tied" not in alone and "equal within" not in alone


def picture():
    from PIL import Image

    return (Image.new("RGB", (8, 8)),)


def test_the_takeaway_follows_the_values():
    def told(*values, **more):
        found = [cell(5, s, v, images=picture(), **more) for s, v in zip((5, 10, 20), values, strict=True)]
        return say(found, 3)

    rising = told(0.2, 0.9, 0.94)
    assert "highest at guidance 5 · 20 steps (0.94); guidance 5 · 10 steps comes within 5% of it (0.90) at 20" in rising
    assert "instead of 40" in rising
    assert "no cheaper cell comes within 5%" in told(0.2, 0.5, 0.94)
    assert "highest at guidance 5 · 5 steps (0.94)" in told(0.94, 0.9, 0.2)
    assert "the same in every cell (0.50); the cheapest is guidance 5 · 5 steps" in told(0.5, 0.5, 0.5)
    assert "One seed a cell can't tell" in rising
    assert "do not differ clearly" in told(0.4, 0.5, 0.6, low=0.1, high=0.9)
    assert "the only cell measured" in say([cell(5, 5, 0.5, images=picture())], 1)
    assert "can't be judged" in told(None, None, None)


def test_heat_maps_mark_best_and_cheapest():
    sides = (cell(1, 10, 0.5), cell(5, 10, 0.90), cell(1, 20, 0.6), cell(5, 20, 0.94))
    figures = heat_maps(sides)
    assert len(figures) == 3
    shown = figures[0].data[0]
    assert list(shown.x) == ["1", "5"] and list(shown.y) == ["10", "20"]
    assert [list(row) for row in shown.text] == [["0.50", "0.90 ◆"], ["0.60", "0.94 ★"]]
    assert figures[0].layout.height and figures[0].layout.title.text is None
    assert figures[0].layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert figures[0].data[0].colorbar.tickformat == ".3~g"
    assert heat_maps(sides[:1]) == ()


def test_tied_cells_share_a_hollow_star():
    sides = (cell(1, 10, 0.5), cell(5, 10, 0.94), cell(1, 20, 0.6), cell(5, 20, 0.94))
    assert [list(row) for row in heat_maps(sides)[0].data[0].text] == [["0.50", "0.94 ☆◆"], ["0.60", "0.94 ☆"]]
