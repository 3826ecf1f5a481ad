"""What a visitor does in a tab: predict, compare, cancel, copy the link; and what goes wrong, in one sentence."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def open_smoothing(page: Page) -> None:
    page.goto("./")
    page.locator("a.sbs-card[data-demo=smoothing]").click()
    expect(page.locator("#sbs-smoothing")).to_be_visible()


def test_stored_pictures_first_then_a_prediction_unfolds_the_rest(page: Page) -> None:
    open_smoothing(page)
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator("img.sbs-picture")).to_have_count(2)
    expect(tab.locator(".sbs-table")).to_have_count(0)
    expect(tab.locator(".sbs-environment")).to_contain_text("measured 20")
    tab.get_by_test_id("A-radio-label").click()
    expect(tab.locator(".sbs-table")).to_be_visible()
    expect(tab.locator(".sbs-outcome")).to_contain_text("You predicted “A”. The measured values disagree")
    tab.get_by_test_id("B-radio-label").click()
    expect(tab.locator(".sbs-outcome")).to_contain_text("You predicted “B”. The measured values agree.")


def test_show_me_unfolds_without_a_prediction(page: Page) -> None:
    open_smoothing(page)
    page.get_by_role("button", name="Show me").click()
    expect(page.locator("#sbs-smoothing .sbs-sentence")).to_contain_text("B came nearer")
    expect(page.locator("#sbs-smoothing .sbs-outcome")).to_have_count(0)


def test_a_link_with_predict_keeps_the_numbers_folded(page: Page) -> None:
    page.goto("?demo=smoothing&noise=0.4&predict=1")
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-field-noise input[type=number]")).to_have_value("0.4")
    expect(tab.locator(".sbs-environment")).not_to_contain_text("measured 20")
    expect(tab.locator(".sbs-table")).to_have_count(0)
    page.get_by_role("button", name="Show me").click()
    expect(tab.locator(".sbs-table")).to_be_visible()


def test_a_confusion_in_the_gallery_leads_to_its_preset(page: Page) -> None:
    page.goto("?__theme=dark")
    page.get_by_text("The same filter twice is a tie.").click()
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-sentence")).to_contain_text("No clear difference")
    expect(tab.locator(".sbs-field-filter_b input")).to_have_value("mean")
    assert "__theme=dark" in page.url and page.evaluate("document.body.classList.contains('dark')")


def test_a_preset_sets_and_runs(page: Page) -> None:
    open_smoothing(page)
    page.get_by_role("button", name="Wide windows").click()
    expect(page.locator("#sbs-smoothing .sbs-side[data-side=A] figcaption")).to_contain_text("window 7")
    expect(page.locator(".sbs-field-window_a input[type=number]")).to_have_value("7")


def test_copied_link_holds_settings_alone(page: Page) -> None:
    page.goto("?demo=smoothing&seed=7&window_a=5&predict=1&__theme=dark")
    expect(page.locator("#sbs-smoothing .sbs-side[data-side=A] figcaption")).to_contain_text("window 5")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    copied = urlsplit(page.evaluate("navigator.clipboard.readText()"))
    wanted = {"demo": ["smoothing"], "seed": ["7"], "window_a": ["5"]}
    assert parse_qs(copied.query) == wanted and copied.netloc == urlsplit(page.url).netloc


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("demo=smoothing&noise=7", "noise must be a number from 0 to 0.9, not 7."),
        ("demo=smoothing&noise=nan", "noise must be a number from 0 to 0.9, not nan."),
        ("demo=smoothing&seed=%3Cscript%3E", "seed must be a whole number from 0 to 2,147,483,647, not <script>."),
        ("demo=smoothing&nose=1", "There is no setting “nose”; the settings are noise, "),
        ("demo=smoothing&window_a=4", "window_a must be odd, so that the window has a middle pixel, not 4."),
        ("demo=smoothing&study=sweep&levels=x", "levels"),
        ("demo=smoothing&study=nothing", "smoothing has no study “nothing”; its studies are sweep."),
        ("demo=nothing", "There is no demo “nothing”; the demos are "),
    ],
)
def test_a_wrong_link_says_so_in_one_sentence(page: Page, query: str, sentence: str) -> None:
    page.goto(f"?{query}")
    expect(page.locator(".sbs-error:visible")).to_contain_text(sentence)
    if "demo=smoothing" in query:
        expect(page.locator("#sbs-smoothing .sbs-environment")).to_contain_text("measured 20")


def test_a_link_keeps_its_good_values_and_names_what_is_wrong(page: Page) -> None:
    page.goto("?demo=smoothing&noise=0.4&window_a=99&__proto__=1&seed=3&seed=4")
    tab = page.locator("#sbs-smoothing")
    told = page.locator(".sbs-error:visible")
    expect(told).to_contain_text("The link gives seed 2 times: it takes one value.")
    expect(told).to_contain_text("window_a must be a whole number from 1 to 9, not 99.")
    expect(told).to_contain_text("There is no setting “__proto__”")
    expect(tab.locator(".sbs-field-noise input[type=number]")).to_have_value("0.4")


@pytest.mark.parametrize(("typed", "said"), [("999", "999"), ("", "empty")])
def test_a_number_typed_at_a_slider_is_not_moved_in_silence(page: Page, typed: str, said: str) -> None:
    open_smoothing(page)
    tab = page.locator("#sbs-smoothing")
    box = tab.locator(".sbs-field-noise input[type=number]")
    box.fill(typed)
    box.blur()
    expect(tab.locator(".sbs-stale")).to_contain_text("made with other settings (Noise)")
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-error")).to_have_text(f"noise must be a number from 0 to 0.9, not {said}.")
    assert box.input_value() == typed


def test_a_prediction_belongs_to_one_run(page: Page) -> None:
    page.goto("?demo=smoothing&seed=3")
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-table")).to_be_visible()
    tab.locator(".sbs-field-noise input[type=number]").fill("0.3")
    expect(tab.locator(".sbs-stale")).to_be_visible()
    tab.get_by_test_id("B-radio-label").click()
    expect(tab.locator(".sbs-stale")).to_contain_text("Your prediction is for the next run")
    expect(tab.locator(".sbs-outcome")).to_have_count(0)
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-outcome")).to_contain_text("You predicted “B”.")
    expect(tab.locator(".sbs-stale")).to_have_count(0)
    tab.locator(".sbs-field-noise input[type=number]").fill("0.5")
    expect(tab.locator(".sbs-predict input:checked")).to_have_count(0)
    expect(tab.locator(".sbs-outcome")).to_have_count(1)  # the old result keeps what was said of it


def test_a_control_moved_during_a_run_marks_its_result(page: Page) -> None:
    open_smoothing(page)
    tab = page.locator("#sbs-smoothing")
    tab.get_by_role("button", name="Sweep the noise").click()
    study = tab.locator(".sbs-study-sweep")
    study.locator(".sbs-field-samples input[type=number]").fill("400")
    study.get_by_role("button", name="Run").click()
    expect(study.locator(".sbs-progress")).to_be_visible()
    study.locator(".sbs-field-seed input").fill("9")
    expect(study.get_by_role("button", name="Run")).to_be_visible()
    expect(tab.locator(".sbs-stale")).to_contain_text("made with other settings (Seed)")
    study.locator(".sbs-field-seed input").fill("0")
    expect(tab.locator(".sbs-stale")).to_have_count(0)


def test_a_phone_goes_to_the_result_after_a_run(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("./")
    page.locator("a.sbs-card[data-demo=smoothing]").click()
    tab = page.locator("#sbs-smoothing")
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-table")).to_be_visible()
    page.wait_for_function(
        "Math.abs(document.querySelector('#sbs-smoothing .sbs-right').getBoundingClientRect().top) < 200"
    )


def test_a_wrong_value_in_a_control_changes_nothing_else(page: Page) -> None:
    page.goto("?demo=smoothing&seed=3")
    tab = page.locator("#sbs-smoothing")
    expect(tab.locator(".sbs-table")).to_be_visible()
    before = tab.locator(".prose.sbs-numbers").inner_text()
    tab.locator(".sbs-field-seed input").fill("-1")
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-error")).to_have_text("seed must be a whole number from 0 to 2,147,483,647, not -1.")
    assert tab.locator(".prose.sbs-numbers").inner_text() == before
    expect(tab.locator(".sbs-stale")).to_contain_text("made with other settings (Seed)")
    tab.locator(".sbs-field-seed input").fill("5")
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-error")).to_have_count(0)
    expect(tab.locator(".sbs-side[data-side=A] figcaption")).to_contain_text("seed 5")


def test_cancel_stops_a_study_keeps_what_is_done_and_frees_the_device(page: Page) -> None:
    open_smoothing(page)
    tab = page.locator("#sbs-smoothing")
    tab.get_by_role("button", name="Sweep the noise").click()
    study = tab.locator(".sbs-study-sweep")
    study.locator(".sbs-field-levels").get_by_role("textbox").fill("0.1, " * 12)
    study.locator(".sbs-field-samples input[type=number]").fill("300")
    study.get_by_role("button", name="Run").click()
    expect(study.locator(".sbs-progress")).to_contain_text("of 7,200 pictures")
    expect(study.locator(".sbs-progress")).to_contain_text("left")
    expect(study.get_by_role("button", name="Run")).to_have_count(0)
    page.wait_for_function("() => parseInt(document.querySelector('.sbs-progress').ariaValueNow) > 700")
    study.get_by_role("button", name="Cancel").click()
    expect(study.get_by_role("button", name="Run")).to_be_visible()
    expect(tab.get_by_text("Stopped early.")).to_be_visible()
    expect(tab.locator(".sbs-sentence")).to_contain_text("of 24 filters and noise levels")
    tab.get_by_role("button", name="Compare", exact=True).click()
    expect(tab.locator(".sbs-sentence")).to_contain_text("B came nearer")


def test_cancel_before_anything_is_done_keeps_the_last_result(page: Page) -> None:
    open_smoothing(page)
    tab = page.locator("#sbs-smoothing")
    tab.get_by_role("button", name="Sweep the noise").click()
    study = tab.locator(".sbs-study-sweep")
    study.locator(".sbs-field-samples input[type=number]").fill("5000")
    study.get_by_role("button", name="Run").click()
    expect(study.locator(".sbs-progress")).to_be_visible()
    study.get_by_role("button", name="Cancel").click()
    expect(study.locator(".sbs-status .prose")).to_contain_text("Cancelled. Your last result is still here.")
    expect(tab.locator("img.sbs-picture")).to_have_count(2)


def test_two_visitors_do_not_see_each_others_results(page: Page) -> None:
    page.goto("?demo=smoothing&seed=21")
    other = page.context.new_page()
    other.goto("?demo=smoothing&seed=22")
    for visitor, seed in ((page, 21), (other, 22)):
        expect(visitor.locator("#sbs-smoothing .sbs-environment")).not_to_contain_text("measured 20")
        expect(visitor.locator("#sbs-smoothing .sbs-side[data-side=A] figcaption")).to_contain_text(f"seed {seed}")
