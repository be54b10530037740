"""Describe the explanations of many people in words: a summary, a row for each, and views of the first."""

import unicodedata
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from p2ce.base.visible import abridged, as_text, echoed, shortened, visible_line
from p2ce.errors import InvalidArgument
from p2ce.present.rule_sentences import restriction_line
from p2ce.present.views.audit_facts import Fact, PolicyView, dates_text, policy_of, provenance_facts
from p2ce.present.views.view import View, advice, draft_notice, status_text, today, view
from p2ce.present.wording import Phrases, Wording, wording_for, wording_of
from p2ce.result import Explanation, Explanations, Relaxations, Status
from p2ce.result.relaxations_of_many import binding_restrictions
from p2ce.result.stated_date import dates_of

ALL_IN_FULL = 200  # people; if there are more, only the first have a section
FIRST_IN_FULL = 50
MOST_PROBLEMS = 5  # people whose versions and hashes the footer lists
LONGEST_MESSAGE, LONGEST_ID = 160, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCount:
    """How many people have one status."""

    text: str
    people: str
    share: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRow:
    """One person in one line."""

    id: str
    anchor: str  # of this person's section; "" if there is none
    status: str
    options: str
    today: str
    cheapest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitsView:
    """Which limits bind for people without an option, and for how many."""

    lead: str
    rows: tuple[tuple[str, str, str, str], ...]  # the limit; people: helped, helped by it alone, only by it
    note: str  # "" if everything is settled


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyView:
    """The explanations of many people in words."""

    explanations: Explanations
    wording: Wording
    audience: str
    title: str
    draft: str  # as in the view of one person
    date: str
    statuses: tuple[StatusCount, ...]
    limits: LimitsView | None  # if relaxations were passed
    cheapest_title: str
    rows: tuple[PersonRow, ...]
    sections: tuple[View, ...]  # of the first people
    policy: PolicyView | None  # people of one explainer share it
    provenance: tuple[tuple[Fact, ...], ...]

    @property
    def is_cut(self) -> bool:
        """Whether some people have no section."""
        return len(self.sections) < len(self.rows)


def view_of_many(
    explanations: Explanations,
    *,
    audience: str,
    language: str,
    phrases: Phrases | None = None,
    why: object = None,
    rows: int | None = None,
    sections: int | None = None,
) -> ManyView:
    """Describe the explanations of many people in words, with at most `rows` rows and `sections` sections."""
    found = with_whys(explanations, why)
    entries = [entry for _, entry, _ in found]
    problems = list({id(one.problem): one.problem for one in entries if one.problem is not None}.values())
    problem = problems[0] if problems else None
    dtypes = next((one.dtypes for one in entries if one.problem is problem), {})
    wording = wording_for(problem, language, phrases, dtypes=dtypes)
    ids = distinct_ids([one for one, _, _ in found[:rows]], LONGEST_ID)
    full = len(entries) if len(entries) <= ALL_IN_FULL else FIRST_IN_FULL
    full = full if sections is None else sections
    return ManyView(
        explanations=explanations,
        wording=wording,
        audience=audience,
        title=wording.counted("title_many", len(entries)),
        draft=draft_notice(problems, audience, wording),
        date=dates_text(dates_of(one.as_of for one in entries), audience, wording),
        statuses=_statuses(entries, audience, wording),
        limits=_limits([mine for _, _, mine in found if mine is not None], wording),
        cheapest_title=_cheapest_title(entries, wording),
        rows=tuple(
            _row(id_, entry, audience, wording_of(entry, language, phrases), place if place < full else None)
            for place, (id_, entry) in enumerate(zip(ids, entries, strict=False))
        ),
        sections=tuple(
            view(entry, audience=audience, language=language, phrases=phrases, why=mine)
            for _, entry, mine in found[:full]
        ),
        policy=policy_of(problems[0], wording) if len(problems) == 1 else None,
        provenance=tuple(provenance_facts(one, wording) for one in problems[:MOST_PROBLEMS]) or ((),),
    )


def with_whys(explanations: Explanations, why: Any) -> list[tuple[Any, Explanation, Relaxations | None]]:
    """List ids, explanations and their relaxations. Raise if relaxations belong to no one here."""
    if why is not None and not isinstance(why, Mapping):
        raise InvalidArgument(
            f"For many people, relaxations= must be a dict from ids to what relaxations() returned; "
            f"got {type(why).__name__}."
        )
    whys = dict(why or {})
    found = [
        (id_, entry, whys.get(id_) if isinstance(id_, Hashable) else None)
        for id_, entry in zip(explanations.ids, explanations, strict=True)
    ]
    ids = {id_ for id_, _, _ in found if isinstance(id_, Hashable)}
    if unknown := [one for one in whys if one not in ids]:
        raise InvalidArgument(
            f"relaxations= has an entry for {echoed(unknown[0])}, which is not the id of any of these "
            "people. Its keys are ids, as explanations.ids lists them."
        )
    return found


def _statuses(entries: list[Explanation], audience: str, wording: Wording) -> tuple[StatusCount, ...]:
    counts = Counter(one.status for one in entries)
    return tuple(
        StatusCount(
            text=status_text(status, audience, wording),
            people=wording.numbers.count(counts[status]),
            share=wording.numbers.share(counts[status] / len(entries)),
        )
        for status in Status
        if counts[status]
    )


def _limits(whys: Sequence[Relaxations], wording: Wording) -> LimitsView | None:
    """Count the people for whom each limit binds."""
    if not whys:
        return None
    count, still_open = wording.numbers.count, sum(not why.complete for why in whys)
    helped = count(sum(len(why) > 0 for why in whys))
    return LimitsView(
        lead=wording.say("limits_lead", people=count(len(whys)), helped=helped),
        rows=tuple(
            (
                restriction_line(one.restriction, wording),
                count(one.in_some),
                count(one.alone),
                count(one.in_every),
            )
            for one in binding_restrictions(dict(enumerate(whys)))
        ),
        note=wording.say("limits_open", open=count(still_open)) if still_open else "",
    )


def _cheapest_title(entries: list[Explanation], wording: Wording) -> str:
    """Name the column of first options, with the first objective that all people share."""
    first = {one.objectives[:1] for one in entries if len(one)}
    if len(first) != 1 or not (named := first.pop()):
        return wording.say("col_cheapest")
    return wording.say("col_cheapest_in", objective=wording.objective(named[0]))


def _row(id_: str, entry: Explanation, audience: str, wording: Wording, place: int | None) -> PersonRow:
    cheapest = advice(entry[0], wording) if len(entry) else "–"
    if entry.status is Status.ERROR and audience != "applicant":
        cheapest = shortened(entry.message or "", LONGEST_MESSAGE)
    return PersonRow(
        id=id_,
        anchor="" if place is None else f"person-{place + 1}",
        status=status_text(entry.status, audience, wording),
        options=wording.numbers.count(len(entry)),
        today=today(entry, wording),
        cheapest=cheapest,
    )


def distinct_ids(ids: Sequence[Any], most: int | None = None) -> list[str]:
    """Write ids with at most so many characters. Different ids that look alike get a number.

    >>> distinct_ids(["a very long id 1", "a very long id 2", "a very new id 2", 7], most=9)
    ['a ve…id 1', 'a ve…id 2 (1)', 'a ve…id 2 (2)', '7']
    >>> distinct_ids([7, "7", 7])
    ['7 (1)', '7 (2)', '7 (1)']
    """
    texts = [as_text(one) for one in ids]
    shown = [visible_line(text) if most is None else abridged(text, most) for text in texts]
    alike: dict[str, dict[tuple[str, str], str]] = {}  # look → the different ids with it → their texts
    keys = [(type(one).__name__, text) for one, text in zip(ids, texts, strict=True)]
    for key, text in zip(keys, shown, strict=True):
        alike.setdefault(_look(text), {}).setdefault(key, text)
    for same in [same for same in alike.values() if len(same) > 1]:
        number = 0
        for key, text in same.items():
            number += 1
            while _look(f"{text} ({number})") in alike:
                number += 1
            same[key] = f"{text} ({number})"
            alike[_look(same[key])] = {}
    return [alike[_look(text)][key] for key, text in zip(keys, shown, strict=True)]


def _look(text: str) -> str:
    """Keep what readers can distinguish: no spaces, characters without a width, or variants of a letter."""
    plain = unicodedata.normalize("NFKC", text)
    return " ".join("".join(sign for sign in plain if unicodedata.category(sign) != "Cf").split())
