"""Save and load policies as files that people can read, edit and put under version control."""

import os
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from p2ce.base.files import write_whole
from p2ce.base.limits import DEFAULT, Limits, require_within
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument, InvalidPolicy, LimitExceeded
from p2ce.policy.features.feature import FeaturePolicy
from p2ce.policy.file.policy_document import Document, Path, read_document, write_document
from p2ce.policy.file.policy_entries import VERSION, PolicyEntries
from p2ce.policy.file.policy_features import feature_to_plain, parse_feature
from p2ce.policy.file.typed_entries import Misfit, typed
from p2ce.policy.policy import INFERRED, Policy, Review
from p2ce.policy.rules import rule_from_plain
from p2ce.policy.rules.predicate import Predicate, require_trusted
from p2ce.policy.rules.rule import Rule
from p2ce.policy.rules.rule_conflicts import check_rules

MOST_CLASHES = 20  # conflicting rules to report at most
HEADER = """\
# What may change, and how. Load it with Policy.load("this file"). Check it with `p2ce policy check`.
# Comments are ignored and not kept. `seen` is the range of the data, and `inferred_candidates` are values
# chosen from it. You state `range`, `step` and `candidates`. `proposed_rules` are not in force.
"""
DRAFT = """\
# This policy is only inferred from data, so texts for applicants are drafts. Review the features, then delete
# `inferred: true`, or add `reviewed_by:` (a name) and `reviewed_on:` (a date) below it.
"""


@dataclass(frozen=True, slots=True)
class PolicyFault:
    """An error in a policy file, with its line."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedPolicy:
    """What a policy file contains, and all errors in it."""

    document: Document
    features: tuple[FeaturePolicy, ...] = ()
    rules: tuple[tuple[int, Rule], ...] = ()  # each with its position in the file's list
    proposed_rules: tuple[Rule, ...] = ()
    stated: bool = True
    review: Review | None = None
    faults: tuple[PolicyFault, ...] = ()

    def line(self, *path: str | int) -> int:
        """Return the line of an entry."""
        return self.document.line(path)

    def policy(self) -> Policy:
        """Return the policy, or raise InvalidPolicy with the line of the first error."""
        if self.faults:
            first, more = self.faults[0], len(self.faults) - 1
            others = f" ({more} more: p2ce policy check lists them.)" if more else ""
            raise InvalidPolicy(first.message + others, line=first.line)
        rules = tuple(rule for _, rule in self.rules)
        return Policy(
            features=self.features,
            rules=rules,
            proposed_rules=self.proposed_rules,
            stated=self.stated,
            review=self.review,
        )


def save_policy(policy: Policy, path: "str | os.PathLike[str]") -> None:
    """Write a policy as YAML. Raise if a file cannot hold it, because of a Python function for example."""
    text = policy_text(policy)
    try:
        write_whole(path, text.encode("utf-8"), what="The policy")
    except InvalidArgument as error:
        raise InvalidPolicy(str(error)) from error


def load_policy(
    path: "str | os.PathLike[str]", *, trust_predicates: bool = False, limits: Limits = DEFAULT
) -> Policy:
    """Load a policy from YAML, or raise InvalidPolicy with the file and line of the first error.

    Loading runs no code: a predicate's module is imported when the rule is first used. A policy with a
    predicate is rejected unless the user trusts it.
    """
    entries = parse_policy(read_policy_file(path, limits=limits), limits=limits)
    try:
        policy = entries.policy()
    except InvalidPolicy as error:
        raise located(error, path) from error
    what = f"The policy {echoed(os.fspath(path))}"
    require_trusted((*policy.rules, *policy.proposed_rules), what, trusted=trust_predicates)
    return policy


def policy_text(policy: Policy) -> str:
    """Write a policy as YAML."""
    for rule in policy.rules:
        if rule.entry() is None:
            raise _unsaved(rule)
    content: dict[str, Any] = {"version": VERSION}
    if not policy.stated:
        content["inferred"] = True
    if policy.review is not None:
        content |= {"reviewed_by": policy.review.by, "reviewed_on": policy.review.on}
    content["features"] = {feature.name: feature_to_plain(feature) for feature in policy.features}
    if policy.rules:
        content["rules"] = [rule.to_plain() for rule in policy.rules]
    if policy.proposed_rules:
        content["proposed_rules"] = [rule.to_plain() for rule in policy.proposed_rules]
    return HEADER + (DRAFT if policy.basis == INFERRED else "") + write_document(content)


def _unsaved(rule: Rule) -> InvalidPolicy:
    """Return the error for a rule that a policy file cannot hold."""
    if isinstance(rule, Predicate):
        return InvalidPolicy(
            f"The predicate {echoed(rule.name)} is a Python object, which a policy file cannot hold. "
            'Pass it as "module:function", or remove it with without_rules() before saving.'
        )
    return InvalidPolicy(
        f"The rule {echoed(rule.text())} is of the custom class {type(rule).__name__}, which a policy file "
        "cannot hold. Remove it with without_rules() before saving, and add it again after loading."
    )


def read_policy_file(path: "str | os.PathLike[str]", *, limits: Limits = DEFAULT) -> Document:
    """Read the YAML of a file. Errors name the file and the line."""
    what = f"The policy {echoed(os.fspath(path))}"
    try:
        with open(path, "rb") as file:
            content = file.read(int(limits.policy_bytes) + 1)
        require_within(limits, "policy_bytes", len(content), f"{what} is too long")
        text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except LimitExceeded:
        raise
    except OSError as error:
        raise InvalidPolicy(f"Cannot read {echoed(os.fspath(path))}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise InvalidPolicy(
            f"{echoed(os.fspath(path))} is not text in UTF-8: {error.reason}. Save it as UTF-8."
        ) from error
    except ValueError as error:  # a name that is not allowed on any disk
        raise InvalidPolicy(f"Cannot read {echoed(os.fspath(path))}: {error}.") from error
    try:
        return read_document(text, limits=limits, what=what)
    except InvalidPolicy as error:
        raise located(error, path) from error


def parse_policy(document: Document, *, limits: Limits = DEFAULT) -> ParsedPolicy:
    """Build features and rules from the content of a file, and collect all errors."""
    faults: list[PolicyFault] = []
    content = document.content
    if not isinstance(content, dict):
        faults.append(PolicyFault(1, "A policy needs 'version: 1' and 'features:'; this file has neither."))
        return ParsedPolicy(document, faults=tuple(faults))
    version = content.get("version")
    if type(version) is not int or version != VERSION:
        got = f"Expected 'version: {VERSION}', got {echoed(version)}."
        text = f"{got} Another version of p2ce may have written it."
        faults.append(PolicyFault(document.line(("version",)), text))
    try:
        entries = typed({**content, "version": VERSION}, PolicyEntries[Any, Any], "the policy")
    except Misfit as error:  # after a misspelt 'features:' or 'rules:', other errors would mislead
        faults.append(PolicyFault(document.line(error.path), str(error)))
        return ParsedPolicy(document, faults=tuple(faults))
    features = _parse_features(entries.features, document, faults)
    rules = _parse_rules(entries.rules or [], features, document, faults, limits)
    proposed = _parse_each("proposed_rules", entries.proposed_rules or [], features, document, faults, limits)
    review = _parse_review(entries, document, faults)
    faults.sort(key=lambda fault: fault.line)
    return ParsedPolicy(
        document=document,
        features=features,
        rules=rules,
        proposed_rules=tuple(rule for _, rule in proposed),
        stated=not entries.inferred,
        review=review,
        faults=tuple(faults),
    )


def _parse_review(
    entries: PolicyEntries[Any, Any], document: Document, faults: list[PolicyFault]
) -> Review | None:
    if entries.reviewed_by is UNSET and entries.reviewed_on is UNSET:
        return None
    if entries.reviewed_by is UNSET or entries.reviewed_on is UNSET:
        there, other = (
            ("reviewed_on", "reviewed_by") if entries.reviewed_by is UNSET else ("reviewed_by", "reviewed_on")
        )
        text = f"A review needs both, but {there} has no {other}. Add it, or remove {there}."
        faults.append(PolicyFault(document.line((there,)), text))
        return None
    try:
        return Review(by=entries.reviewed_by, on=entries.reviewed_on)
    except InvalidPolicy as error:
        entry = "reviewed_by" if not entries.reviewed_by.strip() else "reviewed_on"
        faults.append(PolicyFault(document.line((entry,)), str(error)))
        return None


def _fault(document: Document, path: Path, error: InvalidPolicy) -> PolicyFault:
    inside = error.path if isinstance(error, Misfit) else ()
    return PolicyFault(document.line((*path, *inside)), str(error))


def _parse_features(
    given: dict[str, Any], document: Document, faults: list[PolicyFault]
) -> tuple[FeaturePolicy, ...]:
    found = []
    for name, plain in given.items():
        try:
            found.append(parse_feature(name, plain))
        except InvalidPolicy as error:
            faults.append(_fault(document, ("features", name), error))
    return tuple(found)


def _parse_rules(
    given: list[Any],
    features: tuple[FeaturePolicy, ...],
    document: Document,
    faults: list[PolicyFault],
    limits: Limits,
) -> tuple[tuple[int, Rule], ...]:
    found = _parse_each("rules", given, features, document, faults, limits)
    while (clash := _first_clash(features, [rule for _, rule in found])) is not None:
        place, _ = found.pop(clash[0])
        faults.append(PolicyFault(document.line(("rules", place)), clash[1]))
        if len(faults) >= MOST_CLASHES:
            break
    return tuple(found)


def _parse_each(
    key: str,
    given: list[Any],
    features: tuple[FeaturePolicy, ...],
    document: Document,
    faults: list[PolicyFault],
    limits: Limits,
) -> list[tuple[int, Rule]]:
    """Parse the rules of a list, and check each by itself."""
    require_within(limits, "policy_rules", len(given), f"The policy has {len(given):,} rules")
    incomplete = bool(faults)
    names = {feature.name for feature in features}
    found: list[tuple[int, Rule]] = []
    for place, plain in enumerate(given):
        try:
            rule = rule_from_plain(plain)
            # A rule about features with errors would be reported although it may be right.
            if not incomplete or names.issuperset(rule.columns):
                check_rules(features, [rule])
                found.append((place, rule))
        except InvalidPolicy as error:
            faults.append(_fault(document, (key, place), error))
    return found


def _first_clash(features: tuple[FeaturePolicy, ...], rules: list[Rule]) -> tuple[int, str] | None:
    """Find the first rule that contradicts the rules before it, with the message; None if there is none.

    It bisects, since checking all prefixes of the list would take quadratic time.
    """

    def wrong(count: int) -> str:
        try:
            check_rules(features, rules[:count])
        except InvalidPolicy as error:
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


def located(error: InvalidPolicy, path: "str | os.PathLike[str]") -> InvalidPolicy:
    """Prefix a message with the file and the line."""
    where = os.fspath(path) if error.line is None else f"{os.fspath(path)}:{error.line}"
    return InvalidPolicy(f"{where}: {error}", line=error.line)
