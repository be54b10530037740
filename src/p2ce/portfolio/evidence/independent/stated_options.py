"""Check the options of an evidence file one by one: changes, scores, plausibility, display, costs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from p2ce.portfolio.evidence.independent.stated_model import StatedModel
from p2ce.portfolio.evidence.independent.stated_policy import StatedPolicy
from p2ce.portfolio.evidence.independent.stated_reference import StatedCosts


@dataclass
class StatedOptions:
    """The options as rows of codes. Every check returns a list of complaints."""

    given: dict[str, Any]  # the explanation
    policy: StatedPolicy
    prices: StatedCosts
    judge: StatedModel

    def __post_init__(self) -> None:
        self.options, self.certificate = self.given["counterfactuals"], self.given["certificate"] or {}
        self.names = self.policy.names
        self.rows = self.policy.codes(self.names, [option["values"] for option in self.options])

    def each(self, fine: Any, why: str = "is not allowed") -> list[str]:
        """List the options that fail, with the reason."""
        return [f"option {place + 1} {why}" for place in np.flatnonzero(~fine)]

    def listed(self, key: str, found: Any, accepted: Any) -> list[str]:
        """Compare the listed values of options with recomputed ones."""
        then = np.array([option[key] for option in self.options], dtype=float)
        fine = np.isclose(then, found, rtol=1e-5, atol=1e-5, equal_nan=True)
        return [*self.each(accepted, "is not accepted"), *self.each(fine, f"lists another {key}")]

    def plausibility(self) -> list[str]:
        """Compare the plausibility of options, and the rule that admits them."""
        values, enough = self.prices.plausibility(self.rows)
        rules, broken = self.prices.rules_of(values, self.certificate)
        broken += self.each(rules == [one["admitted_by"] for one in self.options], "has another rule")
        return broken + self.listed("plausibility", values, enough)

    def listed_changes(self) -> list[str]:
        """Compare listed changes with the values, and check that nothing else is listed."""
        code, fine = self.policy.code, []
        for option, row in zip(self.options, self.rows, strict=True):
            moves = zip(self.names, self.policy.before, row, strict=True)
            changes = {name: [code(name, end) for end in ends] for name, ends in option["changes"].items()}
            whole = set(option["values"]) == set(self.names) and set(option["rounded"]) <= set(changes)
            whole &= set(option["costs"]) == set(self.given["objectives"])
            fine.append(whole and changes == {name: [then, now] for name, then, now in moves if then != now})
        return self.each(np.array(fine, dtype=bool), "lists other changes")

    def features(self) -> list[str]:
        """Check every change against its feature's entry in the policy."""
        allowed = {name: self.policy.feature_allows(name, self.rows) for name in self.names}
        return [
            one
            for name, fine in allowed.items()
            for one in self.each(fine, f"changes {name} in a way that is not allowed")
        ]

    def displayed(self) -> list[str]:
        """Check the rounded values that are displayed instead of the exact ones."""
        rows = self.policy.codes(self.names, [{**one["values"], **one["rounded"]} for one in self.options])
        if (rows == self.rows).all() and all(one["rounded_score"] is None for one in self.options):
            return []
        score, accepted = self.judge(rows)
        fine = self.policy.allows(rows) & accepted & self.prices.plausibility(rows)[1]
        said = np.array([one["rounded_score"] for one in self.options], dtype=float)
        right = np.isclose(said, score, rtol=1e-5, atol=1e-5) | (self.given["scale"] == "lead")
        right |= np.isnan(said) & [not one["rounded"] for one in self.options]
        broken = self.each(fine, "is not accepted as it is displayed")
        return broken + self.each(right, "lists another score for the displayed values")

    def cost(self, name: str, objective: dict[str, Any]) -> list[str]:
        """Compare the cost of every option in one objective."""
        then = np.array([option["costs"][name] for option in self.options], dtype=float)
        fine = np.isclose(self.prices.cost(self.rows, objective), then, rtol=1e-6)
        return self.each(fine, "lists another cost")
