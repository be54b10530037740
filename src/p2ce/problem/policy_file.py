"""Keep what features may do in a file that people can read, change and put under version control."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from p2ce.errors import InvalidActions, InvalidArgument, LimitExceeded, P2CEError, PolicyError, nearest
from p2ce.files import write_whole
from p2ce.limits import DEFAULT, Limits
from p2ce.problem.actions import ActionSet
from p2ce.problem.feature import FeatureActions
from p2ce.problem.policy_document import Document, read_document, write_document
from p2ce.problem.policy_features import FeatureReader, feature_to_plain
from p2ce.problem.rules.rule import Rule
from p2ce.problem.rules.rule_conflicts import check_rules
from p2ce.problem.rules.rule_names import RULES, rule_from_plain
from p2ce.visible import echoed

VERSION = 1
TOP_KEYS = ("version", "features", "rules")
MOST_CLASHES = 20  # conflicting rules that are looked for; more would not be read
SCHEMA = Path(__file__).with_name("policy.schema.json")
HEADER = """\
# What each feature may do, for p2ce: ActionSet.load("this file"), or `p2ce policy check` to look it over.
# Comments mean nothing and are not kept. `seen` is where the data lies and `candidates` what it chose there;
# `range`, `step` and `values` are what the user states.
"""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong with a policy, and where."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedPolicy:
    """All that could be read of a policy, and all that could not."""

    document: Document
    features: tuple[FeatureActions, ...] = ()
    rules: tuple[tuple[int, Rule], ...] = ()  # each with its place in the file's list
    problems: list[Problem] = field(default_factory=list)

    def line(self, *path: str | int) -> int:
        """Find the line of an entry."""
        return self.document.line(path)


def save(actions: ActionSet, path: "str | os.PathLike[str]") -> None:
    """Write an action set as YAML. Raises on what a file cannot hold, such as a Python function."""
    text = to_text(actions)
    try:
        write_whole(path, text.encode("utf-8"), what="The policy")
    except InvalidArgument as error:
        raise PolicyError(str(error)) from error


def load(path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> ActionSet:
    """Read an action set from YAML. Raises a PolicyError with file and line for the first thing wrong.

    Loading runs no code: a predicate's module is imported when the rule is first used.
    """
    policy = parse_policy(read_file(path, limits=limits), limits=limits)
    _raise_first(policy, path)
    return ActionSet(features=policy.features, rules=tuple(rule for _, rule in policy.rules))


def to_text(actions: ActionSet) -> str:
    """Write an action set as YAML."""
    content: dict[str, Any] = {
        "version": VERSION,
        "features": {feature.name: feature_to_plain(feature) for feature in actions.features},
    }
    if actions.rules:
        content["rules"] = [rule.to_plain() for rule in actions.rules]
    return HEADER + write_document(content)


def read_file(path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> Document:
    """Read a file's YAML; errors name the file and the line."""
    what = f"The policy {echoed(os.fspath(path))}"
    try:
        with open(path, "rb") as file:
            content = file.read(int(limits.policy_bytes) + 1)
        limits.require("policy_bytes", len(content), f"{what} is too long")
        text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except LimitExceeded:
        raise
    except OSError as error:
        raise PolicyError(f"Cannot read {echoed(os.fspath(path))}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise PolicyError(
            f"{echoed(os.fspath(path))} is not text in UTF-8: {error.reason}. Save it as such."
        ) from error
    except ValueError as error:  # a name that no disk takes
        raise PolicyError(f"Cannot read {echoed(os.fspath(path))}: {error}.") from error
    try:
        return read_document(text, limits=limits, what=what)
    except PolicyError as error:
        raise located(error, path) from error


def parse_policy(document: Document, *, limits: Limits = DEFAULT) -> ParsedPolicy:
    """Make features and rules from what a file says, and collect everything that is wrong."""
    problems: list[Problem] = []
    content = document.content
    if not isinstance(content, dict):
        problems.append(Problem(1, "A policy has 'version: 1' and 'features:', this file has neither."))
        return ParsedPolicy(document, problems=problems)
    for key in content:
        if key not in TOP_KEYS:
            text = f"A policy has no entry {echoed(key)}. {nearest(key, TOP_KEYS)}"
            problems.append(Problem(document.line((key,)), text))
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        got = f"Expected 'version: {VERSION}', got {echoed(version)}."
        text = f"{got} Another version of p2ce may have written it."
        problems.append(Problem(document.line(("version",)), text))
    if any(key not in TOP_KEYS for key in content):
        # A misspelt 'features:' or 'rules:' is the whole story.
        return ParsedPolicy(document, problems=problems)
    features = _read_features(document, problems)
    rules = _read_rules(document, features, problems, limits)
    problems.sort(key=lambda problem: problem.line)
    return ParsedPolicy(document, features, rules, problems)


def _read_features(document: Document, problems: list[Problem]) -> tuple[FeatureActions, ...]:
    given = document.content.get("features")
    if not isinstance(given, dict) or not given:
        text = "A policy needs 'features:', with an entry for each column."
        problems.append(Problem(document.line(("features",)), text))
        return ()
    found = []
    for name, plain in given.items():
        try:
            found.append(FeatureReader(name, document, ("features", name)).read(plain))
        except PolicyError as error:
            problems.append(Problem(error.line or 1, str(error)))
    return tuple(found)


def _read_rules(
    document: Document, features: tuple[FeatureActions, ...], problems: list[Problem], limits: Limits
) -> tuple[tuple[int, Rule], ...]:
    given = document.content.get("rules")
    if given is None:
        return ()
    if not isinstance(given, list):
        text = f"'rules' must be a list, each beginning with '- rule: ...', got {echoed(given)}."
        problems.append(Problem(document.line(("rules",)), text))
        return ()
    limits.require("policy_rules", len(given), f"The policy has {len(given):,} rules")
    incomplete = bool(problems)
    names = {feature.name for feature in features}
    found: list[tuple[int, Rule]] = []
    for place, plain in enumerate(given):
        try:
            rule = _read_rule(document, place, plain)
            # With features that could not be read, a rule over them would look wrong for no fault of its own.
            if not incomplete or names.issuperset(rule.columns):
                check_rules(features, [rule])
                found.append((place, rule))
        except InvalidActions as error:
            line = getattr(error, "line", None) or document.line(("rules", place))
            problems.append(Problem(line, str(error)))
    while (clash := _first_clash(features, [rule for _, rule in found])) is not None:
        place, _ = found.pop(clash[0])
        problems.append(Problem(document.line(("rules", place)), clash[1]))
        if len(problems) >= MOST_CLASHES:
            break
    return tuple(found)


def _first_clash(features: tuple[FeatureActions, ...], rules: list[Rule]) -> tuple[int, str] | None:
    """Find the first rule that those before it leave no room for, and what is wrong; None if there is none.

    By halving, since to check so many rules for each one more would take the square of the time.
    """

    def wrong(count: int) -> str:
        try:
            check_rules(features, rules[:count])
        except InvalidActions as error:
            return str(error)
        return ""

    if not (message := wrong(len(rules))):
        return None
    fine, bad = 0, len(rules)
    while bad - fine > 1:
        middle = (fine + bad) // 2
        found = wrong(middle)
        fine, bad, message = (fine, middle, found) if found else (middle, bad, message)
    return bad - 1, message


def _read_rule(document: Document, place: int, plain: Any) -> Rule:
    """Make one rule; an error about a key names the key's own line."""
    kind = plain.get("rule") if isinstance(plain, dict) else None
    if isinstance(kind, str) and kind in RULES:
        known = ("rule", *RULES[kind].required, *RULES[kind].optional)
        for key in plain:
            if key not in known:
                line = document.line(("rules", place, key))
                raise PolicyError(
                    f"The rule {echoed(kind)} has no {echoed(key)}. {nearest(key, known[1:])}", line=line
                )
    try:
        return rule_from_plain(plain)
    except P2CEError:
        raise
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InvalidActions(
            f"Cannot read the rule {echoed(plain)}: an entry has not the form that it should ({error})."
        ) from error


def _raise_first(policy: ParsedPolicy, path: "str | os.PathLike[str]") -> None:
    if policy.problems:
        first, more = policy.problems[0], len(policy.problems) - 1
        others = f" ({more} more: p2ce policy check lists them.)" if more else ""
        raise located(PolicyError(first.message + others, line=first.line), path)


def located(error: PolicyError, path: "str | os.PathLike[str]") -> PolicyError:
    """Put file and line in front of a message."""
    where = os.fspath(path) if error.line is None else f"{os.fspath(path)}:{error.line}"
    return PolicyError(f"{where}: {error}", line=error.line)
