"""Put the policy that applied on the page: what each feature may do, the rules, and the file itself."""

from p2ce.present.advice import ALONG
from p2ce.present.report.page_parts import Bullets, Cell, Code, Fold, Part, Section, Table, Text
from p2ce.present.report.reader import Reader
from p2ce.present.speaker import Speaker, speaker_for
from p2ce.present.translate_rules import candidates_in_words, restated
from p2ce.result import Feature, Question
from p2ce.result.question import FIXED, PROTECTED
from p2ce.visible import shortened

NAMED = 40  # features that one sentence may list
LONGEST_CANDIDATES = 300
MOVES = ("up", "down", "either", "along", FIXED, PROTECTED)


def policy_section(question: Question, reader: Reader) -> Section:
    """Say what was allowed to change; nothing protected or fixed is ever advised."""
    labels = reader.labels
    speaker = speaker_for(question, reader.language)
    features = list(question.features.values())
    parts: list[Part] = []
    groups = (
        ("free", [one for one in features if one.may_change and one.moves != ALONG]),
        ("along", [one for one in features if one.moves == ALONG]),
        ("protected", [one for one in features if one.moves == PROTECTED]),
        ("fixed", [one for one in features if one.moves == FIXED]),
    )
    parts += [Text(text=labels(key, names=_names(some, speaker, reader))) for key, some in groups if some]
    if question.rules:
        rules = tuple(one if reader.is_auditor else restated(one, speaker) for one in question.rules)
        parts += [Text(text=labels("rules_heading")), Bullets(items=rules)]
    if features:
        parts.append(
            Fold(
                title=labels("policy_fold"),
                parts=(_table(features, reader, speaker),),
                opened=not reader.is_person,
                on_paper=not reader.is_person,
            )
        )
    if question.policy:
        parts.append(
            Fold(
                title=labels("yaml"),
                parts=(Code(text=question.policy, language="yaml"),),
                opened=reader.is_auditor,
                on_paper=reader.is_auditor,
            )
        )
    return Section(title=labels.for_audience("policy_heading", reader.audience), parts=tuple(parts))


def _names(features: list[Feature], speaker: Speaker, reader: Reader) -> str:
    # A one-hot group is listed once.
    all_names = list(dict.fromkeys(one.group or speaker.name(one.name) for one in features))
    names = all_names[:NAMED]
    if len(all_names) > NAMED:
        names.append(reader.labels("and_more", count=reader.labels.count(len(all_names) - NAMED)))
    return speaker.joined(names)


def _table(features: list[Feature], reader: Reader, speaker: Speaker) -> Table:
    labels = reader.labels
    return Table(
        caption=labels("policy_caption"),
        columns=(labels("col_feature"), labels("col_may_move"), labels("col_candidates")),
        rows=[
            (
                Cell(text=one.group or speaker.axis(one.name)),
                Cell(text=_moves(one, reader)),
                Cell(text=_candidates(one, speaker) if one.may_change else ""),
            )
            for one in features
            if not one.group or one.name == speaker.groups.get(one.group, (one.name,))[0]
        ],
        words=frozenset({1, 2}),
    )


def _candidates(feature: Feature, speaker: Speaker) -> str:
    if feature.group in speaker.groups:
        levels = speaker.groups[feature.group]
        return shortened(
            ", ".join(speaker.value(feature.group, (level,)) for level in levels), LONGEST_CANDIDATES
        )
    if feature.kind == "binary":  # 0 and 1 in the data, yes and no to people
        return ", ".join(speaker.value(feature.name, value) for value in (False, True))
    return shortened(candidates_in_words(feature, speaker), LONGEST_CANDIDATES)


def _moves(feature: Feature, reader: Reader) -> str:
    if feature.kind in ("category", "binary") and feature.moves == "either":
        return reader.labels("moves_category")
    return reader.labels(f"moves_{feature.moves}") if feature.moves in MOVES else feature.moves
