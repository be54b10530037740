"""No cell of a page is clipped, on any screen or on paper, whatever its columns, labels and ids are called.

Chromium lays the pages out for real. One process is driven over the DevTools protocol, whose scripts are no
part of the page: it keeps its content security policy. Paper is the print medium, as wide as A4 is between
its margins. A printed PDF would say less: Chromium shrinks what is too wide until it fits, and a PDF does not
know which cell a word belongs to.
"""

import json
from collections.abc import Iterator

import pytest

from p2ce import to_html
from p2ce.present.languages import LANGUAGES
from p2ce.present.render import AUDIENCES
from tests.optional import mostly_slow
from tests.present.browser import A4, Browser, find_browser
from tests.present.long_names import audited, people, person

WIDTHS = (320, 360, 390, 768, 1024, 1280, 1920)
# Narrower than this, a table of many columns may scroll by itself; one on a card never does.
FITS_FROM = 1024

COMPLAINTS = """
((mayScroll) => {
  const found = [], near = 1;
  const complain = (what, element) => found.push(`${what}: ${element.textContent.trim().slice(0, 60)}`);
  if (document.documentElement.scrollWidth > innerWidth) complain("the page scrolls sideways", document.body);
  const boxes = Array.from(document.querySelectorAll(".scroll, pre")).filter((box) => box.checkVisibility());
  for (const box of boxes) {
    const scrolls = box.scrollWidth > box.clientWidth;
    if (scrolls && (!mayScroll || box.closest(".card"))) complain("a box scrolls", box);
  }
  for (const cell of document.querySelectorAll("th, td")) {
    // Some folds are for screens only.
    if (!cell.closest("details.screen") && !cell.offsetWidth) complain("a cell is hidden", cell);
  }
  const within = (inner, outer) => inner.left >= outer.left - near && inner.right <= outer.right + near;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest("script, .unseen") || !parent.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const cell = parent.closest("th, td, dt, dd, .card");
    let edge = parent.parentElement;
    while (edge && getComputedStyle(edge).overflowX === "visible") edge = edge.parentElement;
    const limits = [cell && cell.getBoundingClientRect(), { left: 0, right: innerWidth }];
    const box = parent.closest(".scroll, pre");
    if (box && box.scrollWidth > box.clientWidth) limits.pop();  // which scrolls: its cells hold their text
    if (edge && edge !== box) limits.push(edge.getBoundingClientRect());
    const rectangles = Array.from(range.getClientRects()).filter((one) => one.width > 1);
    for (const limit of limits.filter(Boolean)) {
      if (!rectangles.every((one) => within(one, limit))) { complain("text leaves its box", parent); break; }
    }
    if (!parent.closest("td")) continue;
    for (const number of text.data.matchAll(/\\d[\\d.,]*%?/gu)) {
      range.setStart(text, number.index);
      range.setEnd(text, number.index + number[0].length);
      const lines = new Set(Array.from(range.getClientRects(), (one) => one.top));
      if (lines.size > 1) complain("a number is broken", parent);
    }
  }
  return found;
})
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(find_browser(), tmp_path_factory.mktemp("browser")) as started:
        yield started


def complaints(browser: Browser, page: str, *, before: str = "") -> list[str]:
    """Lay a page out at every width and on paper, with all its folds open, and say what is wrong where."""
    browser.open(page)
    browser.evaluate(f"for (const fold of document.querySelectorAll('details')) fold.open = true; {before}")
    found = []
    for width, paper in [*((width, False) for width in WIDTHS), (A4, True)]:
        browser.lay_out(width, paper=paper)
        may_scroll = not paper and width < FITS_FROM
        where = "on paper" if paper else f"at {width} px"
        found += [f"{where}, {one}" for one in browser.evaluate(f"{COMPLAINTS}({json.dumps(may_scroll)})")]
    return found


@pytest.mark.parametrize("spaced", mostly_slow([True, False], False))
@pytest.mark.parametrize("language", mostly_slow(LANGUAGES, "pt"))
def test_no_cell_is_clipped_at_any_width_or_on_paper(browser: Browser, language: str, spaced: bool) -> None:
    one = person(spaced=spaced)
    for audience in AUDIENCES:
        assert not complaints(browser, to_html(one, audience=audience, language=language)), audience
    assert not complaints(browser, to_html(people(spaced=spaced), audience="officer", language=language))
    assert not complaints(browser, to_html(audited(spaced=spaced), language=language))


@pytest.mark.parametrize(
    ("rule", "judged"),
    [
        ("table.changes tbody th { overflow-wrap: break-word; }", "at 1280 px, a box scrolls"),
        ("table.audit td, td.words { white-space: nowrap; }", "on paper, the page scrolls sideways"),
        ("table.changes td.to { display: none; }", "at 320 px, a cell is hidden"),
        ("table.changes td.to { overflow: hidden; max-width: 2ch; }", "at 1920 px, text leaves its box"),
        (".stacked tr { grid-template-columns: 1fr 3ch; }", "at 390 px, a number is broken"),
    ],
)
def test_a_style_that_clips_is_noticed(browser: Browser, rule: str, judged: str) -> None:
    script = (
        f"document.styleSheets[0].insertRule({json.dumps(rule)}, document.styleSheets[0].cssRules.length)"
    )
    found = complaints(browser, to_html(person(spaced=False), audience="officer"), before=script)
    assert any(one.startswith(judged) for one in found)


def test_names_from_right_to_left_move_nothing_beside_them(browser: Browser) -> None:
    name = "סכום ההלוואה"
    browser.open(to_html(person(spaced=True), title=f"{name}: 300, {name} (₪) 7"))
    browser.lay_out(1280)
    places = browser.evaluate(
        """(() => {
          const heading = document.querySelector("h1"), range = document.createRange();
          return Array.from(heading.childNodes, (part) => {
            range.selectNode(part);
            return range.getBoundingClientRect().left;
          });
        })()"""
    )
    assert len(places) == 4  # the name, ": 300, ", the name, " (₪) 7"
    assert places == sorted(places)
    assert browser.evaluate("document.title") == f"{name}: 300, {name} (₪) 7"


def test_ci_never_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="CI renders the pages"):
        find_browser()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="none of chromium"):
        find_browser()
