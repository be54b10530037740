"""Put an explanation into the words of a language, as data for templates and charts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from p2ce.present.changes import Change, changes_of, check_advice, clause_of, flag_text
from p2ce.present.highlights import ALL_SHOWN, PICKS, best_text, looks_of, marks_of, picked
from p2ce.present.proof import exact_proof, left_out_rules, plain_proof
from p2ce.present.rule_sentences import checked_why, relaxation_text
from p2ce.present.standing import exact_standing, model_output, outcome_of, output_name, plain_standing
from p2ce.present.views.audit_facts import (
    Fact,
    PolicyView,
    amounts,
    certificate_facts,
    dates_text,
    named_facts,
    policy_of,
    provenance_facts,
    raw_value,
    raw_values,
    request_facts,
)
from p2ce.present.wording import Phrases, Wording, capital, wording_of
from p2ce.result import Counterfactual, Explanation, ProblemRecord, Relaxations, Status
from p2ce.result.picks import DIFFERENT, strengths
from p2ce.result.problem_record import ALONG
from p2ce.result.stated_date import dates_of

# Kinds of restrictions that a relaxation lifts → the text that names them; "tried_missing" for all others.
TRIED = {
    "changes": "tried_changes",
    "direction": "tried_direction",
    "change": "tried_change",
    "range": "tried_range",
    "values": "tried_values",
    "step": "tried_step",
    "special": "tried_special",
    "plausibility": "tried_plausibility",
}
COUNTED = "changes"  # the objective whose costs are plain numbers for every reader
# Statuses of people without options.
TITLES = {
    Status.ERROR: "error",
    Status.ACCEPTED: "favourable",
    Status.TIME_LIMIT: "stopped",
}
TONES = {
    Status.OPTIMAL: "good",
    Status.ACCEPTED: "open",  # it is not an approval
    Status.NO_RECOURSE: "bad",
    Status.ERROR: "bad",
    Status.HEURISTIC: "open",
    Status.TIME_LIMIT: "open",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The same statement in the applicant's words and in exact words."""

    plain: str
    exact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CostView:
    """What an option costs in one objective."""

    name: str
    text: str
    compared: Said  # with the smallest of all options; plain is "" if there is nothing to compare


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionView:
    """One option. `number` is its id in the data, and `mark` what readers call it: a number or a letter."""

    number: int
    mark: str
    look: int | None  # the position of its colour, if it is highlighted
    do: str  # with a capital and no full stop
    best: str  # what it is best at; "" for nothing
    stands_out: str  # why it is highlighted: what it is best at, or that it is unlike the others
    badge: str  # the same with a capital
    outcome: str
    output: str  # the score or prediction
    changes: tuple[Change, ...]
    costs: tuple[CostView, ...]
    plausibility: str  # "" without a detector
    flags: tuple[str, ...]  # what a reviewer should check
    counterfactual: Counterfactual
    wording: Wording

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Its numbers in full digits."""
        option, wording = self.counterfactual, self.wording
        facts = {
            "costs": amounts(option.costs, wording.full),
            "score": wording.full(option.score),
            "points": "" if option.points is None else wording.full(option.points),
            "prediction": "" if option.prediction is None else wording.full(option.prediction),
            "plausibility": "" if option.plausibility is None else wording.full(option.plausibility),
            "admitted_by": ""
            if option.admitted_by is None
            else wording.say(f"admitted_by_{option.admitted_by.replace(' ', '_')}"),
            "displayed": "; ".join(raw_values(option.rounded, wording)),
            "displayed_score": wording.full(option.displayed_score) if option.rounded else "",
            "best": self.best,
            "flags": "; ".join(self.flags),
        }
        return named_facts(facts, wording)

    @property
    def raw_changes(self) -> str:
        """Its changes as in the data, column by column."""
        changes = [
            _raw_change(name, old, new, self.wording)
            for name, (old, new) in self.counterfactual.changes.items()
        ]
        return "; ".join(changes) or self.wording.say("change_nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyView:
    """Which relaxations of the restrictions give an option."""

    lead: str
    relaxations: tuple[str, ...]
    undecided: str  # how many sets the time limit left open; "" for none
    tried: tuple[str, ...]  # which restrictions were tried, and that fixed features were not
    closing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An explanation in words. Everything is plain text, which templates escape."""

    explanation: Explanation
    wording: Wording
    audience: str
    title: str
    draft: str  # the opening of an applicant's text until a person states or reviews the policy, or ""
    date: str  # the date; "" if an applicant has none to read
    status: str
    tone: str  # "good", "bad" or "open"
    standing: Said  # "" if the score is unknown
    found: Said  # how many options there are, without a full stop; "" if none is needed
    output_name: str
    today: str
    options: tuple[OptionView, ...]
    proof: Said
    why: WhyView | None

    @property
    def lettered(self) -> bool:
        """Whether options have letters: applicants would wonder about numbers that are not shown."""
        return is_lettered(self.audience)

    @property
    def picks(self) -> tuple[OptionView, ...]:
        """The highlighted options."""
        return tuple(option for option in self.options if option.look is not None)

    @property
    def others(self) -> tuple[OptionView, ...]:
        """All other options."""
        return tuple(option for option in self.options if option.look is None)

    @property
    def request(self) -> tuple[Fact, ...]:
        """What was requested."""
        return request_facts(self.explanation, self.wording)

    @property
    def certificate(self) -> tuple[Fact, ...]:
        """All facts of the certificate."""
        return certificate_facts(self.explanation, self.wording)

    @property
    def policy(self) -> PolicyView | None:
        """What was allowed to change."""
        problem = self.explanation.problem
        return None if problem is None else policy_of(problem, self.wording)

    @property
    def provenance(self) -> tuple[Fact, ...]:
        """Versions, settings and hashes."""
        return provenance_facts(self.explanation.problem, self.wording)


def view(
    explanation: Explanation,
    *,
    audience: str = "applicant",
    language: str = "en",
    phrases: Phrases | None = None,
    why: object = None,
) -> View:
    """Describe an explanation in words. `phrases` replaces the words for changes."""
    found = checked_why(explanation, why)
    check_advice(explanation, explanation.problem)
    wording = wording_of(explanation, language, phrases)
    return View(
        explanation=explanation,
        wording=wording,
        audience=audience,
        title=_title(explanation, audience, wording),
        draft=draft_notice([explanation.problem], audience, wording),
        date=dates_text(dates_of([explanation.as_of]), audience, wording),
        status=status_text(explanation.status, audience, wording, in_part=bool(explanation.unlisted)),
        tone=TONES[explanation.status],
        standing=_standing(explanation, wording),
        found=_found(explanation, wording),
        output_name=wording.say(output_name(explanation)),
        today=today(explanation, wording),
        options=_options(explanation, wording, lettered=is_lettered(audience)),
        proof=Said(plain=plain_proof(explanation, wording), exact=exact_proof(explanation, wording)),
        why=None if found is None else why_view(found, wording, audience),
    )


def is_lettered(audience: str) -> bool:
    """Return whether an audience reads of options A, B, C instead of 1, 2, 3."""
    return audience == "applicant"


def draft_notice(problems: Iterable[ProblemRecord | None], audience: str, wording: Wording) -> str:
    """State that a text for an applicant must not be sent while the policy is only inferred."""
    inferred = any(one is not None and one.is_draft for one in problems)
    return wording.say("draft") if inferred and audience == "applicant" else ""


def status_text(status: Status, audience: str, wording: Wording, *, in_part: bool = False) -> str:
    """State what a status means; ``in_part`` says that not all options found are listed."""
    words = wording.words
    key = "OPTIMAL_in_part" if in_part and status is Status.OPTIMAL else status.value
    text = wording.say(words.variant(f"status_{key}", audience))
    return capital(wording.say(words.variant("status_line", audience), status=status.value, text=text))


def today(explanation: Explanation, wording: Wording) -> str:
    """Write the model's output for the person as they are today."""
    return model_output(
        explanation,
        explanation.person_score,
        explanation.person_prediction,
        wording,
        points=None if explanation.points is None else explanation.points.person,
    )


def advice(option: Counterfactual, wording: Wording) -> str:
    """Put all changes of one option into one clause, with a capital and no full stop."""
    return capital(clause_of(option, wording))


def _title(explanation: Explanation, audience: str, wording: Wording) -> str:
    kind = TITLES.get(explanation.status, "none")
    key = "title_options" if len(explanation) else f"title_{kind}"
    return wording.say(wording.words.variant(key, audience))


def _standing(explanation: Explanation, wording: Wording) -> Said:
    if explanation.status is Status.ERROR or explanation.person_score is None:
        return Said(plain="", exact="")
    return Said(plain=plain_standing(explanation, wording), exact=exact_standing(explanation, wording))


def _found(explanation: Explanation, wording: Wording) -> Said:
    count = len(explanation)
    if explanation.status in (Status.ERROR, Status.ACCEPTED) or explanation.person_score is None:
        return Said(plain="", exact="")
    if not count and explanation.status is Status.TIME_LIMIT:
        # The next sentence says that the search was stopped. "No option was found" would sound like a result.
        return Said(plain="", exact=capital(wording.say("none_so_far")))
    if not count:
        if left_out_rules(explanation):
            return Said(plain=wording.say("you_cannot_further"), exact=wording.say("found_none_further"))
        return Said(plain=wording.say("you_cannot"), exact=wording.say("found_none"))
    few = wording.say("you_can_few", count=wording.numbers.count(PICKS))
    return Said(
        plain=few if count > ALL_SHOWN else wording.counted("you_can", count),
        exact=wording.counted("found", count + explanation.unlisted),
    )


def _options(explanation: Explanation, wording: Wording, *, lettered: bool) -> tuple[OptionView, ...]:
    """Write all options in the order of their marks."""
    if not len(explanation):
        return ()
    picks = {one.number: one.reasons for one in picked(explanation, lettered=lettered)}
    looks = looks_of(explanation)
    best = strengths(explanation)
    least = _least(explanation, best)
    return tuple(
        _option(
            explanation[number - 1],
            explanation,
            mark=mark,
            reasons=picks.get(number, best[number - 1]),
            look=looks[number] if number in picks else None,
            least=least,
            wording=wording,
        )
        for number, mark in marks_of(explanation, lettered=lettered).items()
    )


def _option(
    option: Counterfactual,
    explanation: Explanation,
    *,
    mark: str,
    reasons: tuple[str, ...],
    look: int | None,
    least: dict[str, float],
    wording: Wording,
) -> OptionView:
    stands_out = best_text(reasons, wording)
    return OptionView(
        number=option.number,
        mark=mark,
        look=look,
        do=advice(option, wording),
        best=best_text([one for one in reasons if one != DIFFERENT], wording),
        stands_out=stands_out,
        badge=capital(stands_out),
        outcome=outcome_of(option, explanation, wording),
        output=model_output(
            explanation,
            option.displayed_score,
            option.displayed_prediction,
            wording,
            points=option.displayed_points,
        ),
        changes=changes_of(option, wording),
        costs=tuple(_cost(name, option.costs[name], least, wording) for name in explanation.objectives),
        plausibility="" if option.plausibility is None else wording.numbers.score(option.plausibility, 0.0),
        flags=tuple(flag_text(flag, wording) for flag in option.flags),
        counterfactual=option,
        wording=wording,
    )


def _least(explanation: Explanation, best: list[tuple[str, ...]]) -> dict[str, float]:
    """Return the least cost in each objective in which options differ: the largest cost equal to it."""
    found: dict[str, float] = {}
    for option, mine in zip(explanation, best, strict=True):
        found |= {name: max(option.costs[name], found.get(name, 0.0)) for name in mine}
    return found


def _cost(name: str, cost: float, least: dict[str, float], wording: Wording) -> CostView:
    text, lowest = wording.numbers.cost(cost), least.get(name)
    is_least = lowest is not None and cost <= lowest
    exact = wording.say("cost_and_least", cost=text) if is_least else text
    plain = exact
    if name != COUNTED:
        # By comparing options, since 0.1235 alone means nothing to an applicant.
        plain = wording.say("least_cost") if is_least else "" if lowest is None else text
        if lowest is not None and 0 < lowest < cost < float("inf"):
            # Never "1.0 times the least" for a cost that is larger.
            factor = max(cost / lowest, 1.01)
            plain = wording.say("times_least", factor=wording.numbers.fixed(factor, 2 if factor < 1.1 else 1))
    return CostView(name=capital(wording.objective(name)), text=text, compared=Said(plain=plain, exact=exact))


def _raw_change(column: str, old: object, new: object, wording: Wording) -> str:
    shown, feature = wording.name(column), wording.features.get(column)
    named = column if shown == column else f"{column} ({shown})"
    text = f"{named}: {raw_value(column, old, wording)} → {raw_value(column, new, wording)}"
    along = feature is not None and feature.moves == ALONG
    return wording.say("with_driver", change=text) if along else text


def why_view(why: Relaxations, wording: Wording, audience: str) -> WhyView:
    """Write which relaxations give an option."""
    considered = wording.numbers.count(len(why.considered))
    undecided = wording.counted("undecided", len(why.undecided)) if why.undecided else ""
    tried = tuple(_tried(why, wording))
    if not len(why):
        key = "no_relaxation" if why.complete else "no_relaxation_found"
        lead = wording.say(key, considered=considered)
        if why.complete and not why.considered:
            lead = wording.say("no_relaxation_at_all")
        return WhyView(lead=lead, relaxations=(), undecided=undecided, tried=tried, closing="")
    return WhyView(
        lead=wording.say("relaxations", considered=considered),
        relaxations=tuple(relaxation_text(one, wording, audience) for one in why),
        undecided=undecided,
        tried=tried,
        closing=wording.say("relaxations_complete" if why.complete else "relaxations_incomplete"),
    )


def _tried(why: Relaxations, wording: Wording) -> Iterator[str]:
    """State which restrictions were tried, and which features were not tried because they are fixed."""
    features: dict[str, list[str]] = {}  # by the text that names them
    rules = 0
    for one in why.considered:
        rules += one.rule is not None
        if one.rule is None:
            features.setdefault(TRIED.get(one.kind, "tried_missing"), []).append(one.feature)
    parts = [
        wording.say(key, names=wording.listed([wording.name(name) for name in names if name]))
        for key, names in features.items()
    ]
    if rules:
        parts.append(wording.counted("tried_rules", rules))
    if parts:
        yield wording.say("tried", restrictions="; ".join(parts))
    if why.fixed:
        names = [wording.name(name) for name in why.fixed]
        yield wording.counted("fixed_not_tried", len(names), names=wording.listed(names))
