"""The day that a caller states is in every output, and nothing depends on the clock."""

import datetime
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2ce import Explanation, Explanations, audit, evidence, portfolio, to_html, to_markdown, to_text
from p2ce.errors import InvalidArgument
from p2ce.portfolio.audits.audit_result import Audit
from p2ce.present.languages import LANGUAGES
from p2ce.present.render import AUDIENCES
from p2ce.result.stated_date import StatedDates, dates_of, stated_date
from tests.optional import needs
from tests.portfolio.audits.made_up import at_random, many
from tests.portfolio.evidence.cases import booster
from tests.portfolio.small import contents, explainer, people

Client = needs("distributed").Client

DAY = datetime.date(2026, 11, 18)
LATER = datetime.date(2026, 12, 1)
WRITTEN = {"en": "18 November 2026", "pt": "18 de novembro de 2026", "es": "18 de noviembre de 2026"}


@cache
def applicants() -> pd.DataFrame:
    return people(12).drop(columns=["id", "sex"])


@cache
def explained(day: datetime.date | None = DAY) -> Explanations:
    return explainer().explain_many(applicants(), as_of=day)


@given(st.dates())
def test_a_day_and_its_text_are_the_same(day: datetime.date) -> None:
    assert stated_date(day) == stated_date(day.isoformat()) == day
    assert stated_date(datetime.datetime.combine(day, datetime.time())) == day  # as pandas writes a day
    assert stated_date(None) is None


@pytest.mark.parametrize(
    "given",
    [
        *("18.11.2026", "2026-13-01", "20261118", "2026-W47-3", "2026-11-18T10:00", ""),
        *(20261118, datetime.datetime(2026, 11, 18, 23, 30), pd.Timestamp("2026-11-18", tz="UTC"), True),
    ],
)
def test_anything_else_is_an_error_in_one_line(given: Any) -> None:
    for call in (explainer().explain, explainer().explain_many):
        with pytest.raises(InvalidArgument, match=r"as_of expects a date such as 2026-11-18, got") as error:
            call(applicants().iloc[:1], as_of=given)
        assert "\n" not in str(error.value)


def test_one_person_and_many_state_the_same_day() -> None:
    one = explainer().explain(applicants().iloc[0], as_of="2026-11-18")
    assert one.as_of == explained()[0].as_of == DAY
    assert one == explained()[0]
    assert one != replace(one, as_of=LATER)
    assert explainer().explain(applicants().iloc[0]).as_of is None


def test_a_row_that_cannot_be_explained_states_it_too() -> None:
    broken = applicants().astype(object)
    broken.iloc[0, 0] = "not a number"
    entry = explainer().explain_many(broken, as_of=DAY)[0]
    assert entry.message
    assert entry.as_of == DAY


def test_json_keeps_it_and_rejects_what_is_no_day() -> None:
    data = json.loads(json.dumps(explained()[0].to_dict()))
    assert data["as_of"] == "2026-11-18"
    assert Explanation.from_dict(data) == explained()[0]
    with pytest.raises(InvalidArgument, match="as_of"):
        Explanation.from_dict({**data, "as_of": "yesterday"})
    del data["as_of"]
    assert Explanation.from_dict(data).as_of is None


def test_summaries_have_a_column_where_a_day_is_stated() -> None:
    assert set(explained().summary()["as_of"]) == {"2026-11-18"}
    assert "as_of" not in explained(None).summary().columns


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("write", [to_text, to_html, to_markdown])
def test_every_text_and_page_states_it(write: Any, audience: str, language: str) -> None:
    subjects: list[Any] = [explained()[0]] if write is to_text else [explained()[0], explained()]
    for subject in subjects:
        assert WRITTEN[language] in write(subject, audience=audience, language=language)


@pytest.mark.parametrize("write", [to_text, to_html, to_markdown])
def test_without_a_day_officers_are_told_and_applicants_are_not(write: Any) -> None:
    for audience in ("officer", "auditor"):
        assert "Date: not stated." in write(explained(None)[0], audience=audience)
    assert "Date:" not in write(explained(None)[0], audience="applicant")


def test_what_python_shows_states_it() -> None:
    for shown in (str(explained()[0]), explained()[0]._repr_html_()):
        assert WRITTEN["en"] in shown
    assert "Date" not in str(explained(None)[0])


@given(st.lists(st.none() | st.dates(), min_size=1))
def test_many_days_are_a_range(days: list[datetime.date | None]) -> None:
    found = dates_of(days)
    assert found.without == days.count(None)
    known = sorted(day for day in days if day is not None)
    assert [found.first, found.last] == ([known[0], known[-1]] if known else [None, None])


def test_an_audit_shows_the_days_of_what_it_audits() -> None:
    entries = at_random(np.random.default_rng(0), 40)
    groups = {"sex": ["f", "m"] * 20}

    def audited(days: list[datetime.date | None]) -> Audit:
        dated = [replace(one, as_of=day) for one, day in zip(entries, days, strict=True)]
        return audit(many(dated), groups, min_size=1, resamples=100, permutations=100)

    none, one = audited([None] * 40), audited([DAY] * 40)
    both, some = audited([LATER, DAY] * 20), audited([DAY] + [None] * 39)
    assert none.dates == StatedDates(without=40)
    assert "Date: not stated." in to_text(none)
    assert "As of 18 November 2026." in to_html(one)
    assert "As of 18 November 2026 to 1 December 2026." in to_markdown(both)
    assert "As of 18 November 2026. For 39 people no date is stated." in to_text(some)
    assert Audit.from_json(json.dumps(both.to_dict())) == both != one
    assert set(both.to_frame()["as_of_last"]) == {LATER}


def test_a_portfolio_states_it_and_another_day_is_another_run(tmp_path: Path) -> None:
    credit = explainer()
    with Client(
        processes=False,
        n_workers=1,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        set_as_default=False,
    ) as client:
        more: dict[str, Any] = {"client": client, "progress": False}
        results = portfolio.run(credit, applicants(), tmp_path / "run", as_of="2026-11-18", **more)
        portfolio.run(credit, applicants(), tmp_path / "again", as_of=DAY, **more)
    assert contents(tmp_path / "run") == contents(tmp_path / "again")
    assert results.manifest.as_of == DAY
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["as_of"] == "2026-11-18"
    assert [results.explanation(place) for place in range(len(applicants()))] == list(explained())
    assert audit(results, {"sex": ["f", "m"] * 6}, min_size=1).dates == StatedDates(first=DAY, last=DAY)
    for other in (None, LATER):
        with pytest.raises(InvalidArgument, match="as_of was '2026-11-18' and is"):
            portfolio.run(credit, applicants(), tmp_path / "run", as_of=other, progress=False)


def test_evidence_inherits_it(tmp_path: Path) -> None:
    case = booster()
    case.given["as_of"] = "2026-11-18"
    case.saved(tmp_path / "case.zip")
    replay = evidence.replay(tmp_path / "case.zip", case.model)
    assert replay.same, str(replay)
    assert replay.recorded.as_of == replay.found.as_of == DAY
