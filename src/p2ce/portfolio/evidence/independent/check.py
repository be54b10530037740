"""Check an evidence file with only the model, by code that shares nothing with the search, and report."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import yaml

from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument
from p2ce.portfolio.evidence.independent.stated_claims import INPUTS, StatedClaims
from p2ce.portfolio.evidence.independent.stated_grid import StatedGrid, dominated, repeated
from p2ce.portfolio.evidence.independent.stated_model import StatedModel
from p2ce.portfolio.evidence.independent.stated_options import StatedOptions
from p2ce.portfolio.evidence.independent.stated_policy import StatedPolicy, Unchecked, parsed, unzipped
from p2ce.portfolio.evidence.independent.stated_reference import StatedCosts


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of an evidence file."""

    what: str
    outcome: Literal["held", "broken", "unchecked", "sampled"]  # sampled: held for a sample
    details: str  # what is broken, why it is unchecked, or how much was tried


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceReport:
    """The result of all checks. It passes if nothing is broken, and lists what is not proven."""

    checks: tuple[Check, ...]
    not_compared: tuple[str, ...] = ()  # statements of the file that no check covers
    only_the_file_says: tuple[str, ...] = ()  # what the checks assume

    @property
    def passed(self) -> bool:
        """Whether nothing is broken."""
        return all(check.outcome != "broken" for check in self.checks)

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        lines = (f"{one.outcome:9}  {one.what}: {one.details}".rstrip(": ") for one in self.checks)
        left_out: dict[str, list[str]] = {}
        for name in self.not_compared:
            part, colon, entry = name.partition(": ")
            left_out.setdefault(f"not compared in {part}" if colon else "not compared", []).append(
                entry or part
            )
        if self.only_the_file_says:
            left_out["only this file says"] = [*self.only_the_file_says]
        scope = (f"{title}: {', '.join(names)}" for title, names in left_out.items())
        return "\n  ".join([f"evidence: {self._verdict()}", *lines, *scope])

    def _verdict(self) -> str:
        if not self.passed:
            return "failed"
        found = {
            outcome: ", ".join(check.what for check in self.checks if check.outcome == outcome)
            for outcome in ("sampled", "unchecked")
        }
        return "; ".join(["passed", *(f"{outcome}: {names}" for outcome, names in found.items() if names)])


def check(path: "str | os.PathLike[str]", model: Any, *, limits: Limits = DEFAULT) -> EvidenceReport:
    """Check an evidence file without the search: score every option again, and look for a missing one.

    Args:
        path: The file that `p2ce.evidence.save` wrote.
        model: The model, or a function that returns the scores of a pandas DataFrame.
        limits: The largest sizes of a file.

    Every constraint and cost is checked as well. If more than 200,000 cells of the grid might not be covered
    by an option, only a sample is checked, and the outcome is "sampled" instead of "held". The report also
    lists what no check compares, and what rests on the file alone.
    """
    try:
        parts = unzipped(path, limits)
        case = _Case(parts, unzipped(parts["explainer.p2ce"], limits), model)
        checks = tuple(_outcome(case, what, check) for what, check in case.checks())
        left_out = case.claims.not_compared()
        return EvidenceReport(checks=checks, not_compared=left_out, only_the_file_says=INPUTS)
    except Exception as error:  # for any content of a file, the error is one line
        why = f"{type(error).__name__}: {echoed(str(error))}"
        raise InvalidArgument(
            f"{echoed(str(path))} cannot be checked: {why}. Pass a file that p2ce.evidence.save() wrote, and "
            "a model or function that scores pandas frames."
        ) from error


def _outcome(case: "_Case", what: str, check: Callable[[], list[str]]) -> Check:
    try:
        broken, note = check(), case.note
    except Unchecked as reason:
        return Check(what=what, outcome=reason.outcome, details=str(reason))
    return Check(what=what, outcome="broken" if broken else "held", details="; ".join(broken[:3]) or note)


class _Case:
    """The options of an evidence file as rows of codes. Every check returns a list of complaints."""

    def __init__(self, parts: dict[str, bytes], archive: dict[str, bytes], model: Any) -> None:
        stated = yaml.safe_load(parts["policy.yaml"])
        self.record, self.given = (parsed(parts, f"{name}.json") for name in ("evidence", "explanation"))
        self.certificate = self.given["certificate"] or {}
        self.names, rules = self.given["columns"], self.given["problem"]["rules"]
        limits = json.loads(self.given["problem"]["settings"].get("limits", "{}"))
        self.policy = policy = StatedPolicy(
            self.names, self.record["labels"], stated["features"], rules, self.given["person"], limits
        )
        own = self.given["problem"]["settings"].get("objectives")
        self.prices, self.judge = StatedCosts(policy, archive, own), StatedModel(policy, self.given, model)
        self.claims = StatedClaims(
            parts, self.record, self.given, stated, archive, self.prices.head, self.judge
        )
        self.most, self.note = self.certificate.get("max_changes") or len(self.names), ""
        self.options = StatedOptions(self.given, policy, self.prices, self.judge)
        self.grid = StatedGrid(policy, self.record["grid"], self.most)

    def checks(self) -> Iterator[tuple[str, Callable[[], list[str]]]]:
        policy, options, rows = self.policy, self.options, self.options.rows
        predicted = "prediction" if self.given["scale"] == "lead" else "score"
        yield "checksums", self.claims.checksums
        yield "hashes", self.claims.hashes
        yield "policy", self.claims.policy
        yield "labels", self.claims.labels
        yield "names", self.claims.names
        yield "facts", self.claims.facts
        yield "settings", self.claims.settings
        yield "status", self.claims.status
        yield "person", lambda: self.person(f"person_{predicted}")
        yield "changes", options.listed_changes
        yield predicted, lambda: options.listed(predicted, *self.judge(rows))
        yield "plausibility", options.plausibility
        yield "features", options.features
        yield "displayed values", options.displayed
        yield "number of changes", lambda: options.each(policy.count(rows) <= self.most)
        for rule in self.policy.rules:
            yield (
                f"rule {rule['rule']}",
                partial(lambda one: options.each(policy.rule_allows(one, rows)), rule),
            )
        for name, objective in zip(self.given["objectives"], self.prices.objectives, strict=True):
            yield f"cost {name}", partial(options.cost, name, objective)
        yield "grid", self.on_grid
        yield "repetition", lambda: options.each(~repeated(rows), "is listed twice")
        yield (
            "dominance",
            lambda: options.each(~dominated(self.prices.costs(rows)), "is dominated by another"),
        )
        yield "front", self.front

    def person(self, key: str) -> list[str]:
        (score,), (accepted,) = self.judge(self.policy.before[None])
        right = np.isclose(score, self.given[key], rtol=1e-5, atol=1e-5)
        fits = accepted == (self.given["status"] == "ACCEPTED")
        return [f"the model gives {score:.6g}"] * (not right) + ["the status differs"] * (not fits)

    def on_grid(self) -> list[str]:
        # Refined options lie between the values of the grid, and must not be worse than these.
        refined = bool(self.certificate.get("refined"))
        grid, broken = (
            self.grid,
            self.options.each(~self.grid.off_grid(self.options.rows, refined), "is not on the grid"),
        )
        broken += [*grid.unlike_certificate(self.certificate), *grid.unlike_policy(), *grid.repeats()]
        if not broken:
            grid.require_groups()
        return broken

    def front(self) -> list[str]:
        broken, self.note = self.grid.counterexamples(
            self.options.rows, self.prices, self.judge, self.certificate
        )
        return broken
