"""The whole comparison: what it carries, what it says, how it stops; and the two studies."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import ImageColor
from sklearn.manifold import trustworthiness

from demos.embeddings import DEMO, data, predictions, takeaway
from demos.embeddings.align import disparity, principal
from demos.embeddings.compute import compare
from demos.embeddings.drawing import CATEGORIES, draw, order
from demos.embeddings.faithfulness import original
from demos.embeddings.measures import between
from demos.embeddings.points import Points
from demos.embeddings.settings import EmbeddingSettings, GridSettings, StabilitySettings
from demos.embeddings.studies import run_grid, run_stability
from demos.embeddings.view import payload
from shared.comparison import Measure
from shared.demo import Cancelled, DemoError, no_progress
from shared.settings import SettingsError
from shared.stored import load_default

ROOT = Path(__file__).parents[3]
FAITHFUL = ("trustworthiness", "continuity", "neighbour_overlap", "distance_correlation", "silhouette")


@pytest.fixture(scope="module")
def digits():
    return compare(EmbeddingSettings(n_points=250, third="pca", perplexity=15))


def test_sides_measures_and_arrays(digits):
    assert [s.label for s in digits.sides] == ["t-SNE", "UMAP", "PCA"]
    for side in digits.sides:
        names = [m.name for m in side.measures]
        assert set(FAITHFUL) <= set(names) and "latency" in names
        assert side.arrays["points"].shape == (250, 2) and side.arrays["trust"].shape == (250,)
        assert side.images[0].size == (720, 480)
    first = digits.sides[0].arrays
    assert first["neighbours"].shape == (250, 15) and first["thumbs"].shape == (250, 8, 8)
    assert digits.sides[1].measure("kl_divergence").value is None
    assert json.loads(json.dumps(digits.to_dict()))["sides"][0]["label"] == "t-SNE"


def test_the_measures_are_those_of_the_points_that_are_shown(digits):
    points = data.load(EmbeddingSettings(n_points=250), no_progress)
    for side in digits.sides:
        expected = trustworthiness(points.features, side.arrays["points"].astype(float), n_neighbors=15)
        assert side.measure("trustworthiness").value == pytest.approx(expected, abs=2e-4)
    assert digits.sides[0].measure("trustworthiness").value > digits.sides[2].measure("trustworthiness").value
    assert digits.sides[2].measure("distance_correlation").value > digits.sides[1].measure("distance_correlation").value


def test_maps_are_aligned_to_the_same_components(digits):
    points = data.load(EmbeddingSettings(n_points=250), no_progress)
    reference = principal(points.features)
    for side in digits.sides:
        layout = side.arrays["points"].astype(float)
        left = ((layout - reference) ** 2).sum()
        # No turn in the plane brings it nearer.
        for degrees in (-10, 10, 90, 180):
            angle = np.radians(degrees)
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            assert ((layout @ turn - reference) ** 2).sum() >= left - 1e-6
    a, b = (s.arrays["points"].astype(float) for s in digits.sides[:2])
    assert next(m.value for m in digits.measures if m.name == "map_disparity") == pytest.approx(
        disparity(a, b), abs=1e-5
    )


def test_same_call_same_numbers(digits):
    again = compare(EmbeddingSettings(n_points=250, third="pca", perplexity=15))
    for one, other in zip(digits.sides, again.sides, strict=True):
        assert np.array_equal(one.arrays["points"], other.arrays["points"])
        assert [m.value for m in one.measures[:-1]] == [m.value for m in other.measures[:-1]]


def test_the_stored_default_is_of_the_default_and_faithful():
    stored = load_default(DEMO)
    assert stored is not None
    for side in stored.sides:
        trust = side.measure("trustworthiness")
        assert (
            trust is not None and trust.value is not None and trust.value >= 0.98 and len(side.arrays["points"]) == 1797
        )


def test_what_the_linked_maps_are_given(digits):
    found = json.loads(payload(digits))
    assert (
        found["count"] == 250 and found["k"] == 15 and [s["name"] for s in found["sides"]] == ["t-SNE", "UMAP", "PCA"]
    )
    assert found["names"] == list("0123456789") and found["sheet"]["tile"] == [8, 8] and not found["byTrust"]
    assert payload(run_grid(GridSettings(dataset="rings", n_points=40, perplexities=[5], neighbor_counts=[5]))) == ""


def test_cancel_stops_within_a_few_steps():
    told = []

    def progress(done, total, unit):
        told.append(done)
        if done >= 200:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare(EmbeddingSettings(dataset="noise", n_points=150), progress)
    assert 200 <= told[-1] <= 260


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"perplexity": "nan"}, "perplexity must be a number from 1 to 200, not nan."),
        ({"n_points": 10**9}, "n_points must be a whole number from 4 to 20,000, not 1,000,000,000."),
        ({"metric": "hamming"}, "metric must be one of euclidean, cosine, not hamming."),
        ({"seed": -1}, "seed must be a whole number from 0 to 4,294,967,295, not -1."),
        ({"min_dist": 1.5}, "min_dist must be a number from 0 to 0.99, not 1.5."),
    ],
)
def test_wrong_settings_get_one_sentence(settings, sentence):
    with pytest.raises(SettingsError) as error:
        EmbeddingSettings.check(settings)
    assert str(error.value) == sentence


def test_no_original_where_there_is_none():
    with pytest.raises(DemoError, match="third: this data set has no original in two dimensions"):
        compare(EmbeddingSettings(n_points=40, third="original"))


def test_the_truth_stands_beside_made_up_shapes_and_the_five_questions_are_answered():
    shapes = compare(EmbeddingSettings(dataset="clusters", n_points=300))
    noise = compare(EmbeddingSettings(dataset="noise", n_points=300, perplexity=5, n_neighbors=5))
    assert [s.label for s in shapes.sides] == ["t-SNE", "UMAP", "original"]
    assert shapes.sides[2].measure("cluster_sizes_kept").value == pytest.approx(1, abs=1e-6)
    assert shapes.sides[0].measure("cluster_sizes_kept").value < 0.75
    assert "Cluster sizes are" in shapes.takeaway and "The data is pure noise" in noise.takeaway
    for question, found in zip(predictions.PREDICTIONS, (shapes, shapes, noise, shapes, shapes), strict=True):
        held = [answer.holds(found) for answer in question.answers]
        assert held.count(True) == 1 and held.count(False) == len(held) - 1, question.question
    assert all(answer.holds(shapes) is None for answer in predictions.PREDICTIONS[2].answers)
    assert predictions.PREDICTIONS[4].answers[1].holds(shapes) is True
    titles = {preset.title for preset in DEMO.presets}
    assert {p.told_by for p in predictions.PREDICTIONS} - {""} < titles


def test_the_first_question_is_answered_by_the_default_run():
    stored = load_default(DEMO)
    assert stored is not None
    held = [answer.holds(stored) for answer in predictions.PREDICTIONS[0].answers]
    assert sorted(h is True for h in held) == [False, False, True] and None not in held

    def with_ranks(a, b):
        values = iter((a, b))
        sides = tuple(
            replace(side, measures=(Measure("distance_correlation", next(values), "", "higher", "why"),))
            for side in stored.sides
        )
        return [answer.holds(replace(stored, sides=sides)) for answer in predictions.PREDICTIONS[0].answers]

    assert with_ranks(0.97, 0.99) == [True, False, False]
    assert with_ranks(0.97, 0.6) == [False, True, False]
    assert with_ranks(0.5, 0.3) == [False, False, True]
    assert with_ranks(None, 0.3) == [None, None, None]


def test_the_modality_gap_comes_with_its_scale():
    pictures, captions = np.zeros((20, 3)), np.zeros((20, 3))
    turn = np.linspace(0, 1, 20)
    pictures[:, 0], pictures[:, 1] = np.cos(turn), np.sin(turn)
    captions[:, 1], captions[:, 2] = np.sin(turn), np.cos(turn)
    gap = float(np.linalg.norm(pictures.mean(axis=0) - captions.mean(axis=0)))
    labels = ("picture",) * 20 + ("caption",) * 20
    points = Points("both", np.concatenate([pictures, captions]), labels, gap=gap, pair_distance=1.0)
    found = {m.name: m.value for m in between(points, [points.features[:, :2]] * 2, original(points, "euclidean"), 0)}
    assert found["modality_gap"] == pytest.approx(gap) and found["pair_distance"] == 1.0
    assert f"lie apart: the modality gap is {gap:.2f}, and a picture lies 1.00 from" in " ".join(
        takeaway._special((), points)
    )
    near = replace(points, gap=0.03, pair_distance=None)
    assert takeaway._special((), near) == [
        "Pictures and captions lie together: the modality gap is 0.03. The textbook's gap is not here."
    ]
    expected = np.argsort(np.linalg.norm(points.features[:, None] - points.features[None], axis=-1), axis=1)[:, 1:16]
    own = (expected < 20) == (np.arange(40) < 20)[:, None]
    assert found["neighbors_of_own_modality"] == pytest.approx(own.mean(), abs=0.02)


def test_neighbors_of_the_own_label_stand_beside_chance(digits):
    points = data.load(EmbeddingSettings(n_points=250), no_progress)
    labels, layout = np.array(points.labels), digits.sides[1].arrays["points"].astype(float)
    away = np.linalg.norm(layout[:, None] - layout[None], axis=-1) + np.diag([np.inf] * 250)
    expected = (labels[np.argsort(away, axis=1)[:, :15]] == labels[:, None]).mean()
    found = digits.sides[1].measure("neighbors_of_own_label")
    assert found.value == pytest.approx(expected, abs=1e-3)
    others = np.mean([(labels == own).sum() - 1 for own in labels]) / 249
    assert f"{others:.2f} by chance" in found.note
    assert not any("by chance" in said for said in takeaway._special(digits.sides, points))
    embedded = replace(points, model="some")

    def said_of(share):
        measured = Measure("neighbors_of_own_label", share, "share", "neither", "")
        return takeaway._special([replace(side, measures=(measured,)) for side in digits.sides], embedded)

    for share, word in ((0.95, "mostly"), (0.5, "in part"), (0.12, "hardly")):
        assert said_of(share) == [
            f"Each point's neighbors share its label {word}: {share:.2f} for A, {share:.2f} for B, "
            f"and {others:.2f} would by chance."
        ]


def test_other_values_other_words(digits):
    points = data.load(EmbeddingSettings(n_points=250), no_progress)
    a, b, c = digits.sides
    said = takeaway.say((a, b), points)
    assert takeaway.say((b, a), points) != said
    tied = replace(b, measures=a.measures)
    assert "equally well" in takeaway.say((a, tied), points)
    assert "PCA" in takeaway.say((a, b, c), points)

    def with_trust(side, value, width):
        other = Measure("trustworthiness", value, "", "higher", "", value - width, value + width)
        return replace(side, measures=tuple(other if m.name == "trustworthiness" else m for m in side.measures))

    better = takeaway.say((with_trust(a, 0.9, 0.01), with_trust(b, 0.95, 0.01)), points)
    unclear = takeaway.say((with_trust(a, 0.9, 0.1), with_trust(b, 0.95, 0.1)), points)
    assert better.startswith("B (UMAP) keeps near points near better") and "no clear difference" in unclear


@pytest.mark.parametrize(
    ("a", "b", "end"),
    [
        (0.5, 0.3, ": do not read far distances off either."),
        (0.5, 0.8, ": in part, so neither map is a ruler."),
        (0.97, 0.96, ": which of two distances is longer can be read off both."),
        (0.5, 0.96, ": which is longer can be read off B (UMAP), not off A (t-SNE)."),
        (0.96, 0.5, ": which is longer can be read off A (t-SNE), not off B (UMAP)."),
    ],
)
def test_what_is_said_of_far_distances(digits, a, b, end):
    sides = [
        replace(side, measures=(Measure("distance_correlation", value, "", "higher", ""),))
        for side, value in zip(digits.sides, (a, b), strict=False)
    ]
    assert takeaway._far(sides) == [
        f"Distances follow the original at a rank correlation of {a:.2f} for A, {b:.2f} for B{end}"
    ]


def test_the_grid_has_a_side_for_every_setting_and_gives_what_it_has():
    settings = GridSettings(dataset="trefoil", n_points=80, perplexities=[3, 12], neighbor_counts=[3, 12])
    found = run_grid(settings)
    assert [s.label for s in found.sides] == [
        "3 · t-SNE, perplexity", "12 · t-SNE, perplexity", "3 · UMAP, n_neighbors", "12 · UMAP, n_neighbors",
    ]  # fmt: skip
    assert found.complete and all(s.measure("trustworthiness").value > 0.8 for s in found.sides)

    def stop(done, total, unit):
        if done >= 1000:
            raise Cancelled

    part = run_grid(settings, stop)
    assert not part.complete and len(part.sides) == 1


def test_stability_is_the_mean_disparity_over_seeds():
    found = run_stability(StabilitySettings(dataset="clusters", n_points=90, seeds=3, perplexity=10))
    assert [s.label for s in found.sides] == ["t-SNE from PCA", "t-SNE from random", "UMAP"]
    for side in found.sides:
        maps = [side.arrays[f"points_seed_{seed}"].astype(float) for seed in range(3)]
        expected = np.mean([disparity(maps[i], maps[j]) for i, j in ((0, 1), (0, 2), (1, 2))])
        assert side.measure("disparity").value == pytest.approx(expected, abs=1e-5)
        assert len(side.images) == 3
    values = [s.measure("disparity").value for s in found.sides]
    assert values[0] < values[1]


def test_importing_the_demo_brings_in_nothing_heavy():
    code = (
        "import sys, demos.embeddings; "
        "heavy = {'umap', 'sklearn', 'numba', 'torch', 'openTSNE', 'pandas', 'gradio', 'scipy'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_points_are_drawn_in_an_order_that_lets_no_half_cover_the_other(digits):
    count = 1000
    first = order(count)
    assert sorted(first.tolist()) == list(range(count)) and np.array_equal(first, order(count))
    assert 400 < (first[500:] >= 500).sum() * 2 < 600  # of the half drawn last, about half are from the second half
    spot, labels = np.zeros((count, 2)), np.repeat([0, 1], count // 2)
    on_top = draw(spot, (1.0, 1.0), labels, None).getpixel((360, 240))
    assert on_top[:3] == ImageColor.getrgb(CATEGORIES[int(labels[first[-1]])])
    shown = json.loads(payload(digits))
    assert np.array_equal(np.frombuffer(base64.b64decode(shown["order"]), dtype="<i4"), order(shown["count"]))
