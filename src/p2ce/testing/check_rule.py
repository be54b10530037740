"""Check that a rule conforms: its budgets, by which the search prunes, mean what its `holds` says."""

import pickle

import numpy as np
import pandas as pd

from p2ce.base.arrays import BoolArray, FloatArray
from p2ce.compile.rule_scores import CompiledRule, compile_rules
from p2ce.policy.inference.infer_features import encode_columns, infer_features
from p2ce.policy.policy import Policy
from p2ce.policy.rules.rule import Rule
from p2ce.tables.codebook import MISSING, codebook_of
from p2ce.testing.reports import RuleReport, require

NEAR = 1e-6  # a budget that is not whole decides farther than this from its limit


def check_rule(rule: Rule, reference: pd.DataFrame, *, rows: int = 2000, random_state: int = 0) -> RuleReport:
    """Check a rule as `p2ce.Policy.with_rules` would take it. Raise an AssertionError if it does not conform.

    Args:
        rule: the rule, for columns of the reference.
        reference: the frame that would be passed to `p2ce.Explainer`.
        rows: the number of changes that are judged.
        random_state: the seed for the choice of rows.

    >>> import pandas as pd
    >>> from p2ce.rules import inequality
    >>> people = pd.DataFrame({"Late90": [0, 1, 2, 3], "Late30": [0, 2, 1, 3]})
    >>> print(check_rule(inequality("Late90 <= Late30"), people, rows=100))
    Late90 <= Late30: conforms
      budgets: 1; 100 changes judged, 61 keep the rule
      copies: pickled
    """
    text = rule.text()
    require(
        isinstance(text, str) and bool(text.strip()) and "\n" not in text,
        f"text() of a rule must return one line; got {text!r}.",
    )
    codebook = codebook_of(reference)
    policy = Policy(features=infer_features(encode_columns(reference))).with_rules(rule)
    (compiled,) = compile_rules(policy, codebook)
    rng = np.random.default_rng(random_state)
    known = codebook.encode(reference)
    before = known[rng.integers(0, len(known), rows)]
    others = np.take_along_axis(known, rng.integers(0, len(known), before.shape), axis=0)
    after = np.where(rng.random(before.shape) < 0.6, others, before)
    for name in rule.columns:  # some values that the reference does not have
        column = codebook.names.index(name)
        gaps = rng.random(rows) < 0.1
        after[gaps & codebook[name].holds_missing, column] = MISSING
    judged = compiled.holds(codebook.names, before, after)
    if not compiled.is_predicate and rule.budgets(codebook):
        _check_budgets(compiled, codebook.names, before, after, judged)
    order = rng.permutation(rows)
    require(
        np.array_equal(compiled.holds(codebook.names, before[order], after[order]), judged[order]),
        f"holds() of the rule '{text}' must judge each row by itself, but what it returns depends on the "
        "order of the rows.",
    )
    _check_copy(rule)
    return RuleReport(
        family=text, budgets=len(compiled.budgets), rows=rows, kept=int(np.count_nonzero(judged))
    )


def _check_budgets(
    compiled: CompiledRule,
    names: tuple[str, ...],
    before: FloatArray,
    after: FloatArray,
    judged: BoolArray,
) -> None:
    within = np.ones(len(after), dtype=np.bool_)
    undecided = np.zeros(len(after), dtype=np.bool_)
    for budget in compiled.budgets:
        places = [(name, names.index(name)) for name in budget.columns]
        costs = [budget.costs(name, after[:, [at]], before[:, [at]])[:, 0] for name, at in places]
        total = np.sum(costs, axis=0)
        require(
            not np.isnan(total).any() and not np.isposinf(total).any(),
            f"Costs of the budget '{budget.name}' must be numbers or -inf; got NaN or inf.",
        )
        if budget.whole:
            whole = np.isneginf(total) | (total == np.floor(total))
            require(
                bool(whole.all()),
                f"The budget '{budget.name}' says that its costs are whole numbers, but a row has "
                f"{float(total[~whole][0]) if not whole.all() else 0.0!r}. Pass whole=False.",
            )
        else:
            undecided |= np.abs(total - budget.limit) < NEAR * max(1.0, abs(budget.limit))
        within &= total <= budget.limit
    wrong = np.flatnonzero((within != judged) & ~undecided)
    if len(wrong):
        at = int(wrong[0])
        row = {name: (float(before[at, place]), float(after[at, place])) for place, name in enumerate(names)}
        shown = {name: row[name] for name in compiled.rule.columns}
        require(
            False,
            f"The rule '{compiled.rule.text()}' must hold exactly where all its budgets are within their "
            f"limits; for the change {shown} (codes before and after), holds() is {bool(judged[at])} but the "
            f"budgets {'are' if within[at] else 'are not'} within their limits. Correct one of the two.",
        )


def _check_copy(rule: Rule) -> None:
    """Require that worker processes get the same rule."""
    try:
        copy = pickle.loads(pickle.dumps(rule))
    except Exception as error:  # whatever pickling a user's object raises
        raise AssertionError(
            f"The rule '{rule.text()}' must be picklable, since worker processes receive it: {error}. "
            "Define its class at the top level of a module."
        ) from error
    require(
        copy == rule and hash(copy) == hash(rule),
        f"The rule '{rule.text()}' must equal its copy. Make it a frozen dataclass: @dataclass(frozen=True).",
    )
