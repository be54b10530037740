"""Evidence of any problem passes its check, and no longer does without one of its options."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import assume, given
from hypothesis import strategies as st

import p2ce
from p2ce import evidence
from p2ce.evidence import check
from tests.portfolio.evidence.forging import forged
from tests.properties.amount import examples
from tests.properties.stated_problems import StatedProblem, table_problems

FAMILIES = ["LightGBM", "histogram boosting", "function"]
OBJECTIVES = ["mean_distance", "max_distance", "changes", "euclidean"]


@examples(6)
@given(
    problem=table_problems(
        FAMILIES,
        columns=st.integers(3, 5),
        detector=st.just(False),
        objectives=st.lists(st.sampled_from(OBJECTIVES), min_size=1, max_size=3, unique=True),
    ),
    plausible=st.booleans(),
    ties=st.booleans(),
    bound=st.sampled_from(["auto", None]),
)
def test_only_whole_fronts_pass(
    problem: StatedProblem, plausible: bool, ties: bool, bound: str | None
) -> None:
    assume(all(one.rule.kind != "predicate" for one in problem.stated))  # which no file holds
    forest = p2ce.PlausibilityForest(n_estimators=10, contamination=0.1) if plausible else None
    explainer = problem.explainer(plausibility=forest, ties=ties, bound=bound)
    explanation = explainer.explain(problem.row)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "case.zip"
        evidence.save(explanation, path, explainer=explainer)
        report = check(path, problem.model)
        assert {check.outcome for check in report.checks} == {"held"}, str(report)
        if len(explanation):
            fewer = check(
                forged(path, lambda data: data["counterfactuals"].pop(problem.seed % len(explanation))),
                problem.model,
            )
            broken = [check.what for check in fewer.checks if check.outcome == "broken"]
            assert broken == (["front"] if len(explanation) > 1 else ["status", "front"])
