"""Put the options on a page: a few as cards, the others in a table."""

from collections.abc import Sequence

from p2ce.present.numerals import in_language
from p2ce.present.proof import is_proven, is_told_rounded
from p2ce.present.report.parts import Card, Cards, Cell, Facts, Fold, Part, Section, Table, Text
from p2ce.present.report.reader import Reader
from p2ce.present.speaker import Speaker
from p2ce.present.text import best_in_words, picked, what_to_do
from p2ce.result import Counterfactual, Explanation, Pick
from p2ce.result.number_text import readable_score
from p2ce.result.one_hot_groups import whole_changes
from p2ce.result.picks import ONLY, strengths

CARDS = 3
COUNTED = "changes"  # the objective whose costs are plain numbers to everybody


def options_section(explanation: Explanation, reader: Reader) -> Section:
    """Give the chosen options as cards, and all others folded below."""
    parts = options_parts(explanation, reader)
    return Section(title=reader.labels("options_heading"), parts=parts)


def options_parts(explanation: Explanation, reader: Reader, *, most: int | None = None) -> tuple[Part, ...]:
    """Give the parts of the section; `most` bounds how many of the others are listed."""
    labels, speaker = reader.labels, reader.speaker(explanation)
    picks = picked(explanation, CARDS)
    parts: list[Part] = []
    if len(picks) < len(explanation):
        count = labels.count(len(explanation))
        parts.append(Text(text=labels("picked", count=count), kind="note"))
    least = _least(explanation)
    parts.append(
        Cards(
            cards=tuple(
                _card(place, one, explanation, least, reader, speaker) for place, one in enumerate(picks)
            )
        )
    )
    chosen = {one.number for one in picks}
    others = [(number, option) for number, option in enumerate(explanation, start=1) if number not in chosen]
    if others:
        listed = others if most is None else others[:most]
        inside: list[Part] = [_table(listed, explanation, reader, speaker)]
        if len(listed) < len(others):
            left = labels.counted("others_left", len(others) - len(listed))
            inside.append(Text(text=left, kind="note"))
        parts.append(
            Fold(title=labels.counted("others", len(others)), parts=tuple(inside), opened=reader.is_auditor)
        )
    return tuple(parts)


def _card(
    place: int,
    pick: Pick,
    explanation: Explanation,
    least: dict[str, float],
    reader: Reader,
    speaker: Speaker,
) -> Card:
    labels, option = reader.labels, pick.counterfactual
    return Card(
        place=place,
        number=str(pick.number),
        heading=labels("option", number=pick.number),
        badge=_capital(best_in_words(pick.reasons, speaker) or _alone(explanation, reader, speaker)),
        parts=(
            Text(text=f"{what_to_do(option, explanation, language=reader.language)}.", kind="do"),
            *changes_table(option, labels("changes_caption", number=pick.number), reader, speaker),
            Facts(pairs=_facts(option, explanation, least, reader, speaker)),
        ),
    )


def _alone(explanation: Explanation, reader: Reader, speaker: Speaker) -> str:
    """Say what the only option of a list is: others may exist, but no easier ones where that is proven."""
    exact = is_proven(explanation) and not is_told_rounded(explanation)
    return reader.labels("nothing_easier") if exact else speaker.best_at(ONLY)


def changes_table(
    option: Counterfactual, caption: str, reader: Reader, speaker: Speaker
) -> tuple[Table, ...]:
    """Give a row per change: the feature, today's value, the new one; nothing where nothing changes."""
    labels = reader.labels
    rows = []
    for name, (old, new) in whole_changes(option, speaker.groups).items():
        before, after = speaker.before_and_after(name, old, new, said=option.rounded.get(name))
        rows.append(
            (
                Cell(text=speaker.name(name)),
                Cell(text=before, kind="from"),
                Cell(text=after, kind="to"),
            )
        )
    if not rows:
        return ()
    columns = (labels("col_feature"), labels("col_from"), labels("col_to"))
    return (Table(caption=caption, columns=columns, rows=rows, caption_shown=False, kind="changes"),)


def _facts(
    option: Counterfactual,
    explanation: Explanation,
    least: dict[str, float],
    reader: Reader,
    speaker: Speaker,
) -> tuple[tuple[str, str], ...]:
    labels = reader.labels
    new = reader.result(explanation, option.displayed_score, option.displayed_prediction, speaker)
    today = reader.today(explanation, speaker)
    facts = [(reader.result_name(explanation), labels("today_is", new=new, old=today))]
    for name in explanation.objectives:
        if reader.is_person and name != COUNTED and name not in least:
            continue  # a number of its own, with nothing to compare it to
        cost = cost_in_words(name, option.costs[name], least, reader, speaker)
        facts.append((_capital(speaker.objective(name)), cost))
    if option.plausibility is not None and not reader.is_person:
        facts.append((labels("col_plausibility"), _plausibility(option, speaker)))
    return tuple(facts)


def cost_in_words(name: str, cost: float, least: dict[str, float], reader: Reader, speaker: Speaker) -> str:
    """Say what an option costs: to a person by comparing options, since 0.1235 of nothing says nothing."""
    labels, lowest = reader.labels, least.get(name)
    is_least = lowest is not None and cost <= lowest
    if reader.is_person and name != COUNTED and is_least:
        return labels("least_cost")
    if reader.is_person and name != COUNTED and lowest is not None and 0 < lowest < cost < float("inf"):
        # Never "1.0 times the least" of what is more than that.
        factor = max(cost / lowest, 1.01)
        return labels("times_least", factor=speaker.figure(factor, 2 if factor < 1.1 else 1))
    written = speaker.cost(cost)
    return labels("cost_and_least", cost=written) if is_least else written


def _least(explanation: Explanation) -> dict[str, float]:
    """Give the least cost in each objective in which options differ: the largest that is equal to it."""
    found: dict[str, float] = {}
    for option, best in zip(explanation, strengths(explanation), strict=True):
        found |= {name: max(option.costs[name], found.get(name, 0.0)) for name in best}
    return found


def _table(
    listed: Sequence[tuple[int, Counterfactual]], explanation: Explanation, reader: Reader, speaker: Speaker
) -> Table:
    labels = reader.labels
    judged = not reader.is_person and any(option.plausibility is not None for _, option in listed)
    columns = (
        labels("col_option"),
        labels("col_do"),
        *(_capital(speaker.objective(name)) for name in explanation.objectives),
        reader.result_name(explanation),
        *([labels("col_plausibility")] if judged else []),
    )
    rows = [
        (
            Cell(text=str(number), kind="strong"),
            Cell(text=what_to_do(option, explanation, language=reader.language)),
            *(Cell(text=speaker.cost(option.costs[name])) for name in explanation.objectives),
            Cell(text=reader.result(explanation, option.displayed_score, option.displayed_prediction, speaker)),
            *([Cell(text=_plausibility(option, speaker))] if judged else []),
        )
        for number, option in listed
    ]
    return Table(caption=labels("others_caption"), columns=columns, rows=rows, words=frozenset({1}))


def _plausibility(option: Counterfactual, speaker: Speaker) -> str:
    if option.plausibility is None:
        return "–"
    return in_language(readable_score(option.plausibility, 0.0), speaker.language)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
