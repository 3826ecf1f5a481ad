"""The decision: gates set beforehand, a verdict with its reason for each side, one recommendation, a way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.colors import letter
from shared.comparison import Comparison, Measure, Side
from shared.table import YES_NO, cell, escape, spell

ACCEPTED = "accepted"
QUALITIES = ("agreement", "photo_agreement", "ssim", "cosine")
REFERENCE = "eager FP32"


@dataclass(frozen=True)
class Verdict:
    """One side at the gates: `grounds` is one sentence without its full stop; `hint` says where more inputs could turn
    the verdict, as the floor lies inside the interval of the quality."""

    accepted: bool
    grounds: str
    hint: str = ""

    @property
    def reason(self) -> str:
        """The grounds and the hint, without a full stop."""
        return f"{self.grounds}; {self.hint}" if self.hint else self.grounds

    @property
    def caption(self) -> str:
        """The verdict under a picture, where there is little room."""
        unsure = ", but unsure" if self.hint else ""
        return f"{'accepted' if self.accepted else 'rejected'}{unsure}: {self.grounds}"


@dataclass(frozen=True)
class Decision:
    """All verdicts, in the order of the sides; the recommended side's position, None where no side passes; why, and
    the way back, each one sentence."""

    verdicts: tuple[Verdict, ...]
    recommended: int | None
    why: str
    way_back: str


def judge_side(side: Side, objective: float, floor: float) -> Verdict:
    """A side against the latency objective (P95, in ms) and the quality floor."""
    p95, quality = side.measure("p95"), quality_of(side)
    if p95 is None or p95.value is None:
        return Verdict(False, (p95.note if p95 else "not measured").rstrip("."))
    faults = []
    if p95.value > objective:
        faults.append(f"P95 {cell(p95).text} is above the objective of {objective:g} ms")
    if quality is None or quality.value is None:
        faults.append(f"its quality is not measured ({quality.note.rstrip('.') if quality else 'no inputs'})")
    elif quality.value < floor:
        faults.append(f"{spell(quality.name)} {cell(quality).text} is below the floor of {floor:g}")
    unsure = p95.value <= objective and quality is not None and _has_inside(quality, floor)
    hint = "the floor lies inside its interval, so take more inputs to be sure" if unsure else ""
    if faults:
        return Verdict(False, " and ".join(faults), hint)
    assert quality is not None
    return Verdict(True, f"P95 {cell(p95).text} and {spell(quality.name)} {cell(quality).text} keep both gates", hint)


def _has_inside(quality: Measure, floor: float) -> bool:
    return quality.low is not None and quality.high is not None and quality.low < floor <= quality.high


def quality_of(side: Side) -> Measure | None:
    """The measure that the quality floor is held against: of those that a side has, the lowest."""
    found = [m for name in QUALITIES if (m := side.measure(name)) is not None]
    return min(found, key=lambda m: -1.0 if m.value is None else m.value, default=None)


def accepted_measure(verdict: Verdict) -> Measure:
    """The verdict as a measure: 1 accepted, 0 rejected, the reason as its note."""
    return Measure.exact(ACCEPTED, float(verdict.accepted), YES_NO, "neither", verdict.reason)


def decide(sides: Sequence[Side], objective: float, floor: float) -> Decision:
    """The verdicts, and of the sides that pass the fastest by P50, if its interval lies below the reference's; else the
    reference itself."""
    verdicts = tuple(judge_side(side, objective, floor) for side in sides)
    passing = [i for i, verdict in enumerate(verdicts) if verdict.accepted]
    reference = next((i for i, side in enumerate(sides) if side.label == REFERENCE), None)
    if not passing:
        return Decision(verdicts, None, "No side keeps both gates: nothing is changed", _stay(sides, reference))
    best = min(passing, key=lambda i: _p50(sides[i]))
    why = _why(sides, passing, best, reference)
    if reference in passing and best != reference and not _is_below(sides[best], sides[reference]):
        best = reference
        why = "No side that keeps both gates is clearly faster than FP32 as it is: change nothing"
    return Decision(verdicts, best, why, _way_back(sides, best, reference))


def _why(sides: Sequence[Side], passing: Sequence[int], best: int, reference: int | None) -> str:
    side = sides[best]
    if best == reference:
        return "FP32 as it is keeps both gates, and nothing that keeps them is faster: change nothing"
    many = "the fastest of those that keep" if len(passing) > 1 else "the only side that keeps"
    said = f"{side.label} ({letter(best)}) is {many} both gates"
    if reference is not None and _p50(side) < float("inf") and _p50(sides[reference]) < float("inf"):
        said += f", {_p50(sides[reference]) / _p50(side):.1f} times FP32's speed at the median"
    return said


def _way_back(sides: Sequence[Side], best: int, reference: int | None) -> str:
    if best == reference or reference is None:
        return "There is nothing to go back from: the FP32 weights are what runs" if best == reference else (
            "Way back: keep the FP32 weights; every other side is made from them"
        )  # fmt: skip
    return (
        f"Way back: keep the FP32 weights and {sides[reference].label} beside it, change nothing "
        f"else at the same time, and switch back where P95 or {spell(_quality_name(sides))} crosses its gate in use"
    )


def _stay(sides: Sequence[Side], reference: int | None) -> str:
    kept = sides[reference].label if reference is not None else "FP32 as it is"
    return f"Stay with {kept}; loosen one gate or change one thing, and measure again"


def _quality_name(sides: Sequence[Side]) -> str:
    return next((m.name for side in sides if (m := quality_of(side)) is not None), "quality")


def _p50(side: Side) -> float:
    found = side.measure("p50")
    return found.value if found is not None and found.value is not None else float("inf")


def _is_below(one: Side, other: Side) -> bool:
    a, b = one.measure("p50"), other.measure("p50")
    return a is not None and b is not None and a.high is not None and b.low is not None and a.high < b.low


def decision_of(c: Comparison) -> Decision | None:
    """The decision that a result holds, made again from its measures and gates; None for another kind of result."""
    objective, floor = c.settings.get("latency_objective"), c.settings.get("quality_floor")
    if objective is None or floor is None or not c.sides:
        return None
    return decide(c.sides, float(objective), float(floor))


def to_markdown(c: Comparison) -> str:
    """The decision as Markdown: a row for each side, then the recommendation and its way back."""
    found = decision_of(c)
    if found is None:
        return ""
    lines = ["| side | P50 | P95 | quality | weights | verdict | reason |", "|:--|--:|--:|--:|--:|:--|:--|"]
    for side, verdict in zip(c.sides, found.verdicts, strict=True):
        cells = [side.label, *values_of(side), "accept" if verdict.accepted else "reject", verdict.reason]
        lines.append("| " + " | ".join(escape(text) for text in cells) + " |")
    said = f"{found.why}. {found.way_back}."
    gates = (
        f"Gates: P95 up to {c.settings['latency_objective']:g} ms, quality at least {c.settings['quality_floor']:g}."
    )
    return "\n".join([*lines, "", escape(gates), "", f"**{escape(said)}**", ""])


def to_csv(c: Comparison) -> str:
    """The decision as CSV: a row for each side, the recommended one marked; numbers plain."""
    import csv
    import io

    found = decision_of(c)
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(("side", "p50_ms", "p95_ms", "quality", "weights_mib", "verdict", "recommended", "reason"))
    for i, side in enumerate(c.sides if found else ()):
        assert found is not None
        numbers = [_number(side.measure(name)) for name in ("p50", "p95")]
        row = (side.label, *numbers, _number(quality_of(side)), _number(side.measure("weights")),
               "accept" if found.verdicts[i].accepted else "reject", "yes" if i == found.recommended else "no",
               found.verdicts[i].reason)  # fmt: skip
        writer.writerow(row)
    if found:
        writer.writerow(("recommendation", "", "", "", "", "", "", f"{found.why}. {found.way_back}."))
    return file.getvalue()


def values_of(side: Side) -> list[str]:
    """P50, P95, quality and weights as text."""
    found = (side.measure("p50"), side.measure("p95"), quality_of(side), side.measure("weights"))
    return [cell(m).text if m is not None else "" for m in found]


def _number(measure: Measure | None) -> str:
    return "" if measure is None or measure.value is None else f"{measure.value:.6g}"
