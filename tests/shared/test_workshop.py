"""A workshop: the tally counts and resets, the teacher's password, four presets a demo, lesson plans from them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest

from demos import all_demos
from shared.demo import Demo
from shared.lessons import main, preset_link, to_html, to_markdown
from shared.tally import Tally, is_teacher

DEMOS = [demo for demo in all_demos() if demo.slug != "smoothing"]
each_demo = pytest.mark.parametrize("demo", DEMOS, ids=lambda demo: demo.slug)


def test_the_tally_counts_each_visitor_once() -> None:
    tally = Tally()
    counted = tally.choose("guidance", 0, "A")
    tally.choose("guidance", 0, "B")
    assert tally.choose("guidance", 0, "B", counted) == counted
    tally.choose("guidance", 1, "A")
    assert tally.counts("guidance", 0) == {"A": 1, "B": 1}
    assert tally.counts("guidance", 1) == {"A": 1} and tally.counts("fusion", 0) == {}
    tally.reset()
    assert tally.counts("guidance", 0) == {}


def test_only_the_password_given_at_launch_makes_a_teacher() -> None:
    assert is_teacher("chalk", "chalk")
    assert not is_teacher("", "") and not is_teacher("chalk ", "chalk") and not is_teacher("", "chalk")
    assert not is_teacher(None, "chalk") and not is_teacher("\ud800", "chalk")


@each_demo
def test_a_demo_has_four_presets_that_each_make_a_point(demo: Demo) -> None:
    assert len(demo.presets) >= 4
    assert len({p.slug for p in demo.presets}) == len(demo.presets)
    assert all(p.settles and p.title for p in demo.presets)
    checked = [demo.Settings.check(p.settings) for p in demo.presets]
    assert len({s.model_dump_json() for s in checked}) == len(checked)


@each_demo
def test_a_workshop_link_holds_the_presets_settings_and_no_reveal(demo: Demo) -> None:
    for preset in demo.presets:
        query = parse_qs(urlparse(preset_link(demo, preset, "https://example.org/")).query)
        assert query.pop("predict") == ["1"] and query.pop("demo") == [demo.slug]
        assert demo.Settings.from_query({k: v[0] for k, v in query.items()}) == demo.Settings.check(preset.settings)


@each_demo
def test_a_lesson_plan_names_every_point_on_one_page(demo: Demo) -> None:
    plan, page = to_markdown(demo), to_html(demo)
    assert plan.startswith(f"# {demo.title}: a lesson of about {10 + 6 * len(demo.presets)} minutes")
    assert all(f"[{p.title}](?demo={demo.slug}" in plan for p in demo.presets) and demo.trap in plan
    assert plan.count("\n") < 60
    assert page.count("<a href=") == len(demo.presets) and "<script" not in page and "**" not in page


def test_the_command_writes_both_kinds_of_page(tmp_path: Path) -> None:
    assert main(["--out", str(tmp_path / "plans"), "--url", "https://example.org/"]) == 0
    names = {path.name for path in (tmp_path / "plans").iterdir()}
    assert {f"{d.slug}{end}" for d in DEMOS for end in (".md", ".html")} <= names
    assert "https://example.org/?demo=guidance" in (tmp_path / "plans" / "guidance.md").read_text()
