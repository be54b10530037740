"""Translate rules and restrictions from the engine's English into the reader's language and names."""

import ast
import re
from typing import Any

from p2ce.present.numerals import in_language
from p2ce.present.speaker import Speaker
from p2ce.result import Feature
from p2ce.result.grid_words import displayed_step
from p2ce.result.number_text import readable

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
# As the engine writes them. `C` stands for a column or group, `L` for a list of them, `N` for a number, `V`
# for a value, `W` for transitions from one to others. Names are matched in their places only: any word of
# a sentence, and any label, may be the name of a column as well.
SENTENCES = {
    "rule_up": r"(?P<name>C) only increases",
    "rule_down": r"(?P<name>C) only decreases",
    "rule_most": r"at most (?P<most>\d+) changes? \(instead (?P<more>\d+)\)",
    "rule_missing": r"(?P<name>C) stays missing",
    "rule_within": (
        r"(?P<name>C) within (?P<low>N)–(?P<high>N) "
        r"\(instead (?P<lower>N)–(?P<higher>N), as far as the data go\)"
    ),
    "rule_moves": r"(?P<name>C) moves as much as (?P<driver>C) does",
    "rule_moves_times": r"(?P<name>C) moves (?P<ratio>N) times as much as (?P<driver>C) does",
    "rule_exclusive": r"at most one of (?P<names>L) changes",
    "rule_nonzero": r"at most one of (?P<names>L) is other than 0",
    "rule_together": r"(?P<names>L) change together or not at all",
    "rule_choices": (
        r"(?P<name>C) one of (?P<listed>.+) "
        r"\(instead (?:any label of the data|N–N, as far as the data go)\)"
    ),
    "rule_never": r"(?P<name>C) never changes (?P<transitions>W)",
    "rule_only": r"(?P<name>C) only changes (?P<transitions>W)",
    "rule_level": r"(?P<name>C): (?:exactly )?one of (?P<names>L) is 1",
    "rule_level_none": r"(?P<name>C): at most one of (?P<names>L) is 1",
}
IMPLICATION = re.compile(r"if (?P<if>.+), then (?P<then>.+)")
VALUE = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|True|False|missing|N"
CONDITIONS = {
    "when_changes": r"(?P<name>C) changes",
    "when_most": r"(?P<name>C) is at most (?P<high>V)",
    "when_least": r"(?P<name>C) is at least (?P<low>V)",
    "when_between": r"(?P<name>C) is from (?P<low>V) to (?P<high>V)",
    "when_one_of": r"(?P<name>C) is one of (?P<values>(?:V)(?:, (?:V))*)",
    "when_is": r"(?P<name>C) is (?P<value>V)",
}
STEPS = re.compile(
    rf"(?P<count>[\d,]+): (?P<low>{NUMBER})–(?P<high>{NUMBER}), "
    rf"(?:every (?P<step>{NUMBER})|steps of (?P<least>{NUMBER}) to (?P<most>{NUMBER}))"
)
LISTED = re.compile(r"(?P<count>[\d,]+): (?P<values>.+)")
MISSING_VALUES = {"; missing stays": "candidates_stay_missing", "; may go missing": "candidates_go_missing"}
SPECIAL = re.compile(r"(?P<candidates>.+); special values (?P<values>.+?) (?P<what>stay|may be left)")
SPECIAL_VALUES = {"stay": "candidates_stay_special", "may be left": "candidates_leave_special"}
FORMULA = re.compile(r"[^<=>'\"]+(?:<=|==)[^<=>'\"]+")  # needs no translation
NAMES = re.compile(r"`((?:[^`]|``)+)`|[^\W\d]\w*")  # in a formula


def restated(text: str, speaker: Speaker, *, quoted: bool = False) -> str:
    """Give a rule in the reader's words; one of the user's own stays as it is, and that is said."""
    translated = in_words(text, speaker)
    if translated is not None or speaker.language == "en":
        return speaker.say("quoted", text=translated or text) if quoted else translated or text
    return speaker.say("in_english", text=speaker.say("quoted", text=text))


def candidates_in_words(feature: Feature, speaker: Speaker) -> str:
    """Say which values a feature may take, as the engine lists them: in the reader's numbers and names."""
    text, endings = feature.candidates, []
    special = SPECIAL.fullmatch(text)
    if special:
        text = special["candidates"]
    for ending, key in MISSING_VALUES.items():
        if text.endswith(ending):
            text = text.removesuffix(ending)
            endings.append(key)
    steps, listed = STEPS.fullmatch(text), LISTED.fullmatch(text)
    if steps:
        sentence = _stepped(steps, feature, speaker)
    elif listed:
        values = _values(listed["values"], feature, speaker)
        sentence = speaker.say("candidates_list", count=_count(listed, speaker), values=values)
    else:
        return feature.candidates
    for key in reversed(endings):
        sentence = speaker.say(key, candidates=sentence)
    if special:
        codes = _values(special["values"], feature, speaker)
        sentence = speaker.say(SPECIAL_VALUES[special["what"]], candidates=sentence, values=codes)
    return sentence


def _stepped(found: "re.Match[str]", feature: Feature, speaker: Speaker) -> str:
    parts = {name: speaker.number(feature.name, float(found[name])) for name in ("low", "high")}
    parts |= {
        name: speaker.amount(feature.name, displayed_step(float(found[name])), unit=False)
        for name in ("step", "least", "most")
        if found[name] is not None
    }
    key = "candidates_steps" if "step" in parts else "candidates_between"
    return speaker.say(key, count=_count(found, speaker), **parts)


def _values(text: str, feature: Feature, speaker: Speaker) -> str:
    return ", ".join(_listed(one, feature, speaker) for one in text.split(", "))


def _count(found: "re.Match[str]", speaker: Speaker) -> str:
    return in_language(found["count"], speaker.language)


def _listed(text: str, feature: Feature, speaker: Speaker) -> str:
    is_number = feature.kind != "category" and re.fullmatch(NUMBER, text) is not None
    return speaker.number(feature.name, float(text) if is_number else text)


def in_words(text: str, speaker: Speaker) -> str | None:
    """Translate what the engine writes; None for any other text."""
    columns = [*speaker.features, *speaker.groups]
    if not columns:
        return None
    for key, pattern in SENTENCES.items():
        if found := re.fullmatch(_filled(pattern, columns), text):
            return speaker.say(key, **_parts(found, speaker))
    if FORMULA.fullmatch(text):
        return NAMES.sub(lambda found: _name_in_formula(found, speaker), text)
    implication = IMPLICATION.fullmatch(text)
    if implication is None:
        return None
    sides = [_conditions(implication[side], columns, speaker) for side in ("if", "then")]
    if None in sides:
        return None
    return speaker.say("rule_if", condition=sides[0], consequence=sides[1])


def _name_in_formula(found: "re.Match[str]", speaker: Speaker) -> str:
    column = found[0] if found[1] is None else found[1].replace("``", "`")
    return speaker.name(column) if column in speaker.features else found[0]


def _filled(pattern: str, columns: list[str]) -> str:
    # The longest first, so that no name is taken for the beginning of another.
    one = f"(?:{'|'.join(re.escape(name) for name in sorted(columns, key=len, reverse=True) if name)})"
    value = f"(?:{VALUE.replace('N', NUMBER)})"
    transition = f"{value} → {value}(?:, {value})*"
    spelled = {
        "C": one,
        "L": f"{one}(?:, {one})*",
        "N": NUMBER,
        "V": value,
        "W": f"{transition}(?:; {transition})*",
    }
    return re.sub(r"(?<![\w\\])[CLNVW](?!\w)", lambda found: spelled[found[0]], pattern)


def _conditions(side: str, columns: list[str], speaker: Speaker) -> str | None:
    """Translate conditions that are joined by "and"; a label may hold that word as well."""
    found = []
    rest = side
    while rest:
        for key, pattern in CONDITIONS.items():
            match = re.match(_filled(pattern, columns) + r"(?: and (?=.)|$)", rest)
            if match:
                found.append(speaker.say(key, **_parts(match, speaker)))
                rest = rest[match.end() :]
                break
        else:
            return None
    return speaker.joined(found)


def _parts(found: "re.Match[str]", speaker: Speaker) -> dict[str, str]:
    """Say the named groups of a match: columns by their names, values as their column writes them."""
    parts = {}
    named = found.groupdict()
    for part, text in named.items():
        if part in ("name", "driver"):
            parts[part] = speaker.name(text)
        elif part == "names":
            parts[part] = speaker.joined(_list(text, named.get("name", ""), speaker))
        elif part in ("most", "more", "ratio"):
            parts[part] = in_language(readable(float(text)), speaker.language)
        elif part == "listed":
            parts[part] = text
        elif part in ("values", "transitions"):
            parts[part] = re.sub(
                VALUE.replace("N", NUMBER),
                lambda one: speaker.value(named["name"], _value(one[0])),
                text,
            )
        else:
            parts[part] = speaker.value(named["name"], _value(text))
    return parts


def _list(text: str, group: str, speaker: Speaker) -> list[str]:
    """Name the columns of a list; those of a category as its levels."""
    one = _filled("(?:C)", [*speaker.features, *speaker.groups])
    columns = re.findall(rf"(?:^|(?<=, )){one}(?=, |$)", text)
    levels = speaker.groups.get(group, ())
    return [speaker.value(group, (name,)) if name in levels else speaker.name(name) for name in columns]


def _value(text: str) -> Any:
    return None if text == "missing" else ast.literal_eval(text)
