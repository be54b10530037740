"""Pages on audits say what was found and what not, in every language, and show hostile names as text."""

import re
from dataclasses import replace

import numpy as np
import pytest

from p2ce import Audit, audit, to_html, to_markdown, to_text
from p2ce.errors import InvalidArgument
from p2ce.present.charts.group_data import group_data
from p2ce.present.charts.svg.draw_groups import draw_groups
from p2ce.present.languages import LANGUAGES
from p2ce.present.views.audit_view import view_of_audit
from p2ce.present.wording import wording_for
from tests.portfolio.audits.made_up import (
    ACCEPTED,
    ERROR,
    NONE,
    UNFINISHED,
    at_random,
    audited,
    hostile_groups,
    many,
    optimal,
)
from tests.present.html_checker import checked

QUICK = {"resamples": 100, "permutations": 200}


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_are_whole_in_every_language(language: str) -> None:
    page = to_html(audited(), language=language, title="Q3 & Q4")
    checked(page)
    assert "<title>Q3 &amp; Q4</title>" in page
    assert page.count("<svg") == 3 * 4  # groupings × (rejected, with an option, two objectives)
    assert to_markdown(audited(), language=language).startswith("# ")
    assert "{" not in to_text(audited(), language=language)


@pytest.mark.parametrize(("language", "word"), [("en", "open"), ("pt", "aberto"), ("es", "abierto")])
def test_an_interval_without_an_end_is_called_so(language: str, word: str) -> None:
    found = half_open()
    seen = view_of_audit(found, language)
    (notice,) = (one for one in seen.notices if word in one)
    assert "60" in notice
    assert seen.groupings[0].costs is not None
    medians = [str(row[1]) for row in seen.groupings[0].costs.rows]  # of both groups, and of everyone
    assert [one.endswith(f"– {word})") for one in medians] == [True, False, False]
    assert seen.groupings[0].tests is not None
    row = next(row for row in seen.groupings[0].tests.rows if word in str(row[2]))
    assert re.search(rf"… {word}\)$", str(row[2]))
    for text in (
        to_text(found, language=language),
        to_markdown(found, language=language),
        to_html(found, language=language),
    ):
        assert word in text
        assert not re.search(r"\b(inf|nan)\b", text)
    checked(to_html(found, language=language))


def half_open() -> Audit:
    """Make an audit in which one group has so many unfinished searches that its median has no upper end."""
    costs = np.linspace(0.1, 0.5, 50).tolist()
    people = [*map(optimal, costs), *[UNFINISHED] * 60, *map(optimal, costs)]
    return audit(many(people), {"g": ["a slow"] * 110 + ["quick"] * 50}, **QUICK)


def test_a_chart_draws_an_interval_without_an_end_to_the_end_of_the_axis() -> None:
    found, wording = half_open(), wording_for(None)
    metric = next(one for one in found.all_metrics if one.name == "median_mean_distance")
    data = group_data(found, found.groups, metric, wording)
    slow, quick = data.rows
    assert (slow.high, slow.has_end, quick.has_end) == (1.0, False, True)
    assert quick.high is not None
    assert 0.0 < quick.high <= 1.0
    assert all(0.0 <= tick.place <= 1.0 and "inf" not in tick.text for tick in data.ticks)
    assert data.note == wording.say("audit_open_figure")
    assert draw_groups(data).count("<path") == 1  # the head of the arrow


def test_hostile_names_are_text() -> None:
    page = to_html(hostile_groups())
    checked(page)
    assert "<script>alert" not in page
    assert "<b>group" not in page
    assert "<script>" not in to_markdown(hostile_groups())
    assert "\x00" not in to_text(hostile_groups())


def test_none_exists_not_finished_and_error_are_never_mixed() -> None:
    seen = view_of_audit(audited(), "en")
    everybody = audited().all_people
    assert [row[1] for row in seen.outcomes.rows] == [
        str(count)
        for count in (
            everybody.accepted,
            everybody.with_recourse,
            everybody.no_recourse,
            everybody.unfinished,
            everybody.errors,
        )
    ]
    assert {"Not finished", "Errors", "Proven: no option"} <= set(seen.groupings[0].outcomes.columns)
    assert len(seen.notices) == 4  # unfinished, errors, not proven, and both of these for costs
    assert re.search(r"lies between 90\.4% and 92\.3%", seen.notices[0])


def test_what_is_too_small_to_tell_is_not_told() -> None:
    seen = view_of_audit(audited(), "en")
    (small,) = [row for row in seen.groupings[1].outcomes.rows if row[0] == "missing"]
    assert small[1] == "15"
    assert all(cell == ("too few", "few") for cell in small[2:-1])
    tests = seen.groupings[1].tests
    assert tests is not None
    assert "missing" not in {row[0] for row in tests.rows}
    assert 'class="few"' in to_html(audited())


def test_findings_are_what_is_left_after_the_correction() -> None:
    seen = view_of_audit(audited(), "en")
    assert seen.findings == ()
    assert "This does not prove that the groups are treated alike" in seen.findings_lead
    rng = np.random.default_rng(0)
    people = [*at_random(rng, 200, rejected=0.9), *at_random(rng, 200, rejected=0.2)]
    found = view_of_audit(audit(many(people), {"sex": ["f"] * 200 + ["m"] * 200}, resamples=100), "en")
    assert found.findings[0].startswith('Sex "f": rejection rate 85%')
    assert re.search(r"\(all people: [^)]+\); difference \+3", found.findings[0])


def test_what_stands_out_does_so_however_unfinished_searches_end() -> None:
    def findings(unfinished: int) -> str:
        people = [*[optimal(0.1)] * (200 - unfinished), *[UNFINISHED] * unfinished, *[optimal(0.1)] * 100]
        people += [NONE] * 100
        found = audit(many(people), {"g": ["slow"] * 200 + ["quick"] * 200}, resamples=100)
        return "\n".join(view_of_audit(found, "en").findings)

    assert "share" not in findings(120)
    found = findings(10)
    assert 'G "slow": share with an option 95% – 100% (all people: 72.5% – 75%)' in found
    assert 'G "quick": share with an option 50% (all people: 72.5% – 75%)' in found


@pytest.mark.parametrize(
    ("people", "lead"),
    [
        ([ACCEPTED] * 40, "rejects none of the 40 people"),
        ([ERROR] * 40, "None of these rows could be explained"),
        ([NONE] * 40, r"found an option for 0 of the rejected people \(0%\)"),
        ([NONE] * 5, "rejects 5 of 5 people"),
    ],
)
def test_everybody_alike_has_a_page(people: list, lead: str) -> None:
    found = audit(many(people), {"g": ["a", *["b"] * (len(people) - 1)]}, **QUICK)
    assert re.search(lead, to_text(found))
    checked(to_html(found))


def test_arguments_of_explanations_are_rejected() -> None:
    with pytest.raises(InvalidArgument, match="relaxations= belongs to explanations"):
        to_html(audited(), relaxations={})
    with pytest.raises(InvalidArgument, match="language"):
        to_html(audited(), language="xx")
    assert str(audited()) == to_text(audited())
    assert str(replace(audited(), problem=None)) == str(audited())
