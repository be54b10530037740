"""Check an evidence file with nothing but the model: a short program that shares no code with the search."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import yaml

from p2ce.errors import InvalidArgument
from p2ce.testing.reports import Check, EvidenceReport
from p2ce.testing.stated_claims import StatedClaims
from p2ce.testing.stated_costs import StatedCosts
from p2ce.testing.stated_grid import StatedGrid, dominated, repeated
from p2ce.testing.stated_model import StatedModel
from p2ce.testing.stated_policy import StatedPolicy, Unchecked, parsed, unzipped
from p2ce.visible import echoed


def check_evidence(path: Any, model: Any) -> EvidenceReport:
    """Score every option again, check every constraint and cost, and prove the front by brute force.

    ``model`` is the model, or a function that gives the scores of a pandas frame. Where the grid has more
    than 200,000 cells that an option might not cover, a sample of them is tried, and the outcome is
    "sampled", not "held".
    """
    try:
        with open(path, "rb") as file:
            case = _Case(unzipped(file.read()), model)
        return EvidenceReport(checks=tuple(_outcome(case, what, check) for what, check in case.checks()))
    except Exception as error:  # whatever a file holds, the error is one line
        why = f"{type(error).__name__}: {echoed(str(error))}"
        raise InvalidArgument(
            f"{echoed(str(path))} cannot be checked: {why}. Pass what p2ce.evidence.save() wrote, and "
            "a model, or a function, that scores pandas frames."
        ) from error


def _outcome(case: "_Case", what: str, check: Callable[[], list[str]]) -> Check:
    try:
        broken, note = check(), case.note
    except Unchecked as reason:
        return Check(what=what, outcome=reason.outcome, details=str(reason))
    return Check(what=what, outcome="broken" if broken else "held", details="; ".join(broken[:3]) or note)


class _Case:
    """The options of an evidence file as rows of codes, and every check of them as a list of complaints."""

    def __init__(self, parts: dict[str, bytes], model: Any) -> None:
        stated, archive = yaml.safe_load(parts["policy.yaml"]), unzipped(parts["explainer.p2ce"])
        self.record, self.given = (parsed(parts, f"{name}.json") for name in ("evidence", "explanation"))
        self.options, self.certificate = self.given["counterfactuals"], self.given["certificate"] or {}
        self.names, rules = self.given["columns"], self.given["question"]["rules"]
        self.policy = policy = StatedPolicy(
            self.names, self.record["labels"], stated["features"], rules, self.given["person"]
        )
        self.prices, self.judge = StatedCosts(policy, archive), StatedModel(policy, self.given, model)
        self.claims = StatedClaims(
            parts, self.record, self.given, stated, archive, self.prices.head, self.judge
        )
        self.most, self.note = self.certificate.get("max_changes") or len(self.names), ""
        self.rows = policy.codes(self.names, [option["values"] for option in self.options])
        self.grid = StatedGrid(policy, self.record["grid"], self.most)

    def checks(self) -> Iterator[tuple[str, Callable[[], list[str]]]]:
        policy, rows = self.policy, self.rows
        predicted = "prediction" if self.given["scale"] == "lead" else "score"
        yield "checksums", self.claims.checksums
        yield "hashes", self.claims.hashes
        yield "policy", self.claims.policy
        yield "labels", self.claims.labels
        yield "settings", self.claims.settings
        yield "status", self.claims.status
        yield "person", lambda: self.person(f"person_{predicted}")
        yield "changes", self.listed_changes
        yield predicted, lambda: self.listed(predicted, *self.judge(rows))
        yield "plausibility", self.plausibility
        yield "features", self.features
        yield "displayed values", self.displayed
        yield "number of changes", lambda: self.each(policy.count(rows) <= self.most)
        for rule in self.policy.rules:
            yield f"rule {rule['rule']}", partial(lambda one: self.each(policy.rule_allows(one, rows)), rule)
        for name, objective in zip(self.given["objectives"], self.prices.objectives, strict=True):
            yield f"cost {name}", partial(self.cost, name, objective)
        yield "grid", self.on_grid
        yield "repetition", lambda: self.each(~repeated(rows), "is listed twice")
        yield "dominance", lambda: self.each(~dominated(self.prices.costs(rows)), "is dominated by another")
        yield "front", self.front

    def each(self, fine: Any, why: str = "is not allowed") -> list[str]:
        return [f"option {place + 1} {why}" for place in np.flatnonzero(~fine)]

    def listed(self, key: str, found: Any, accepted: Any) -> list[str]:
        """Compare what options list with what is found again."""
        then = np.array([option[key] for option in self.options], dtype=float)
        fine = np.isclose(then, found, rtol=1e-5, atol=1e-5, equal_nan=True)
        return [*self.each(accepted, "is not accepted"), *self.each(fine, f"lists another {key}")]

    def plausibility(self) -> list[str]:
        values, enough = self.prices.plausibility(self.rows)
        rules, broken = self.prices.rules_of(values, self.certificate)
        broken += self.each(rules == [one["admitted_by"] for one in self.options], "has another rule")
        return broken + self.listed("plausibility", values, enough)

    def person(self, key: str) -> list[str]:
        (score,), (accepted,) = self.judge(self.policy.before[None])
        right = np.isclose(score, self.given[key], rtol=1e-5, atol=1e-5)
        fits = accepted == (self.given["status"] == "ALREADY_FAVOURABLE")
        return [f"the model gives {score:.6g}"] * (not right) + ["the status is another"] * (not fits)

    def listed_changes(self) -> list[str]:
        code, fine = self.policy.code, []
        for option, row in zip(self.options, self.rows, strict=True):
            moves = zip(self.names, self.policy.before, row, strict=True)
            changes = {name: [code(name, end) for end in ends] for name, ends in option["changes"].items()}
            fine.append(changes == {name: [then, now] for name, then, now in moves if then != now})
        return self.each(np.array(fine, dtype=bool), "lists other changes")

    def features(self) -> list[str]:
        allowed = {name: self.policy.feature_allows(name, self.rows) for name in self.names}
        return [one for name, fine in allowed.items() for one in self.each(fine, f"may not change {name} so")]

    def displayed(self) -> list[str]:
        """Check the rounded values that people read instead of the exact ones."""
        rows = self.policy.codes(self.names, [{**one["values"], **one["rounded"]} for one in self.options])
        if (rows == self.rows).all():
            return []
        fine = self.policy.allows(rows) & self.judge(rows)[1] & self.prices.plausibility(rows)[1]
        return self.each(fine, "is not accepted as it is displayed")

    def cost(self, name: str, objective: dict[str, Any]) -> list[str]:
        then = np.array([option["costs"][name] for option in self.options], dtype=float)
        fine = np.isclose(self.prices.cost(self.rows, objective), then, rtol=1e-6)
        return self.each(fine, "costs otherwise")

    def on_grid(self) -> list[str]:
        # Refined options lie between the values of the grid, which they must not be worse than.
        refined = bool(self.certificate.get("refined"))
        grid, broken = self.grid, self.each(~self.grid.beside(self.rows, refined), "lies beside the grid")
        broken += [*grid.unlike_certificate(self.certificate), *grid.unlike_policy(), *grid.repeats()]
        if not broken:
            grid.require_groups()
        return broken

    def front(self) -> list[str]:
        broken, self.note = self.grid.counterexamples(self.rows, self.prices, self.judge, self.certificate)
        return broken
