"""The sentence under the table, built from what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from shared.comparison import Side, winner

TIE = 0.02
"""Values of one picture that differ by less are called alike."""
REAL = ("cross-attention", "Grad-CAM")


def value(side: Side | None, name: str) -> float | None:
    """A side's measure, or None where it has none."""
    found = side.measure(name) if side else None
    return found.value if found else None


def by_label(sides: Sequence[Side], label: str) -> Side | None:
    """The side of that label."""
    return next((s for s in sides if s.label == label), None)


def controls(sides: Sequence[Side]) -> list[Side]:
    """The control sides."""
    return [s for s in sides if s.label.startswith("control")]


def short(side: Side) -> str:
    """A side's label within a sentence."""
    return side.label.removeprefix("control: ").replace(", random weights", " with random weights")


def say(sides: Sequence[Side], target: str, chance: float, best: tuple[str, float], word: str, name: str) -> str:
    """What the two maps found on one picture, how the best control did, and what the classifier says."""
    attention, cam = by_label(sides, REAL[0]), by_label(sides, REAL[1])
    parts = [_verdict(attention, cam, word, target)]
    parts.append(_against_controls([s for s in (attention, cam) if s], controls(sides)))
    if cam is not None and len(cam.images) == 1:
        parts.append(f"Nothing here speaks for “{target}”, so Grad-CAM has no map.")
    parts.append(_classifier(target, chance, best))
    return " ".join(p for p in parts if p)


def _verdict(attention: Side | None, cam: Side | None, word: str, target: str) -> str:
    a, b = value(attention, "iou"), value(cam, "iou")
    if a is not None and b is not None:
        first, second = f"cross-attention for “{word}”", f"Grad-CAM for “{target}”"
        if abs(a - b) < TIE:
            return f"{_start(first)} and {second} overlap the mask alike here ({a:.2f} and {b:.2f})."
        high, low = ((first, a), (second, b)) if a > b else ((second, b), (first, a))
        return f"{_start(high[0])} overlaps the mask by {high[1]:.2f}, {low[0]} by {low[1]:.2f}."
    if a is not None:
        return f"Cross-attention for “{word}” overlaps the mask by {a:.2f}."
    a, b = value(attention, "insertion_auc"), value(cam, "insertion_auc")
    if a is not None and b is not None:
        if abs(a - b) < TIE:
            return f"No mask is known here; what either map marks matters alike to the classifier ({a:.2f}, {b:.2f})."
        more, less = ("cross-attention", "Grad-CAM") if a > b else ("Grad-CAM", "cross-attention")
        high, low = max(a, b), min(a, b)
        return (
            f"No mask is known here. Uncovering what {more} marks brings “{target}” back sooner ({high:.2f}) than what "
            f"{less} marks ({low:.2f})."
        )
    if b is None:
        return ""
    return (
        f"Only Grad-CAM is here, and no mask says how right it is. Uncovering what it marks first gives “{target}” "
        f"{b:.2f} on the way."
    )


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]


def _against_controls(real: Sequence[Side], others: Sequence[Side]) -> str:
    """Whether a control, which explains nothing, does as well as a real map."""
    measure = "iou" if any(value(s, "iou") is not None for s in real) else "insertion_auc"
    found = [(v, s) for s in others if (v := value(s, measure)) is not None]
    own = [(v, s) for s in real if (v := value(s, measure)) is not None]
    if not found or not own:
        return ""
    best, control = max(found, key=lambda f: f[0])
    beaten = [s for v, s in own if v < best + TIE]
    what = "overlaps" if measure == "iou" else "reaches"
    if not beaten:
        return (
            f"The best control, {short(control)}, {what} {best:.2f}: both explain more than it does."
            if len(own) > 1
            else f"The best control, {short(control)}, {what} {best:.2f}: less."
        )
    names = " and ".join(short(s) for s in beaten)
    said = f"A control that explains nothing, {short(control)}, {what} {best:.2f}: {names} is no better here"
    return f"{said}{_yet_inside(beaten[0], control) if len(beaten) == 1 else ''}."


def _yet_inside(beaten: Side, control: Side) -> str:
    """A map may mark little and all of it right: small overlap, much of its mass inside."""
    own, other = value(beaten, "energy_inside"), value(control, "energy_inside")
    if own is None or other is None or own < other + TIE:
        return ""
    return (
        f" by overlap, yet {own:.0%} of its mass lies in the mask, against {other:.0%}: it points, it does not outline"
    )


def _classifier(target: str, chance: float, best: tuple[str, float]) -> str:
    if target == best[0] or best[1] < chance + 0.05:
        return f"The classifier gives “{target}” {chance:.2f}; one picture proves little, the benchmark has many."
    return f"The classifier gives “{target}” {chance:.2f} and prefers “{best[0]}” ({best[1]:.2f})."


def say_benchmark(sides: Sequence[Side], n: int, complete: bool) -> str:
    """What the means over many scenes say; a difference counts only beyond the intervals."""
    attention, cam = by_label(sides, REAL[0]), by_label(sides, REAL[1])
    a, b = value(attention, "iou"), value(cam, "iou")
    if attention is None or cam is None or a is None or b is None:
        return "No scene was finished."
    first = winner([attention, cam], "iou")
    numbers = f"cross-attention {a:.2f}, Grad-CAM {b:.2f}"
    verdict = (
        f"Over {n} scenes neither map clearly overlaps its sticker better ({numbers})." if first is None
        else f"Over {n} scenes {(attention, cam)[first].label} overlaps the named sticker better ({numbers})."
    )  # fmt: skip
    found = [(v, s) for s in controls(sides) if (v := value(s, "iou")) is not None]
    if found:
        best, control = max(found, key=lambda f: f[0])
        half = [s for v, s in ((a, attention), (b, cam)) if best > v / 2]
        verdict += f" The best control, {short(control)}, reaches {best:.2f}"
        names = " and ".join(s.label for s in half)
        verdict += f", more than half of {names}." if half else ": at most half of both."
    verdict += _against_random(sides)
    points = [value(s, "pointing_game") for s in (attention, cam)]
    if None not in points:
        verdict += f" The peak lies in the sticker in {points[0]:.0%} and {points[1]:.0%} of the maps."
    return verdict + ("" if complete else " It was stopped early.")


def _against_random(sides: Sequence[Side]) -> str:
    """What each method keeps of its overlap when its network's weights are random and its map marks equally much."""
    parts = []
    for label, name in zip(REAL, ("attention", "Grad-CAM"), strict=True):
        own = value(by_label(sides, label), "iou_like_area")
        blind = value(by_label(sides, f"control: {name}, random weights"), "iou_like_area")
        if own is not None and blind is not None:
            share = "at most half" if blind <= own / 2 else "more than half"
            parts.append(f"{label} {blind:.2f} of {own:.2f} ({share})")
    return f" Marking equally much, with random weights {' and '.join(parts)} is left." if parts else ""


def say_shortcut(sides: Sequence[Side]) -> str:
    """Whether two classifiers that score alike on one split part on the other, and where they look."""
    values = [[value(s, n) for n in ("accuracy_biased", "accuracy_flipped", "energy_inside")] for s in sides]
    (a_biased, a_flipped, a_inside), (b_biased, b_flipped, b_inside) = values
    if None in (a_biased, a_flipped, b_biased, b_flipped):
        return "Stopped before both splits were measured."
    assert a_biased is not None and a_flipped is not None and b_biased is not None and b_flipped is not None
    same = winner(sides, "accuracy_biased") is None
    parts = [
        f"On the biased split A and B score {a_biased:.2f} and {b_biased:.2f}"
        + (": no clear difference." if same else ", a clear difference.")
    ]
    first = winner(sides, "accuracy_flipped")
    numbers = f"{a_flipped:.2f} and {b_flipped:.2f}"
    if first is None:
        parts.append(f"On the flipped split they stay alike ({numbers}): no shortcut shows.")
    else:
        parts.append(f"On the flipped split {'AB'[1 - first]} falls behind ({numbers}): it had learned the background.")
    if a_inside is not None and b_inside is not None:
        where = winner(sides, "energy_inside")
        end = "no clear difference" if where is None else f"{'AB'[where]} looks more at the sticker"
        parts.append(f"Grad-CAM has {a_inside:.0%} and {b_inside:.0%} of its mass in the sticker: {end}.")
    return " ".join(parts)


def say_duplicates(sides: Sequence[Side]) -> str:
    """How far each split's own test promises more than new scenes keep."""
    if len(sides) < 2:
        return "Stopped before both splits were measured."
    own, new = ([value(s, n) or 0.0 for s in sides] for n in ("accuracy_own_test", "accuracy_new_scenes"))
    gaps = [a - b for a, b in zip(own, new, strict=True)]
    sentence = (
        f"Split by picture, the test says {own[0]:.2f} and new scenes {new[0]:.2f}; split by scene, {own[1]:.2f} and "
        f"{new[1]:.2f}."
    )
    if winner(sides, "overstatement") == 1:
        return f"{sentence} Near-duplicates on both sides hid {gaps[0]:.2f}: split by scene."
    if winner(sides, "overstatement") == 0:
        return f"{sentence} Here the split by scene promised more, against the textbook."
    return f"{sentence} Here neither split clearly promises more than the other."
