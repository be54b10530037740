"""Former names and translated phrases are found, and what merely resembles them is not."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "scripts" / "lint.py"
SPEC = importlib.util.spec_from_file_location("lint", PATH)
assert SPEC is not None
assert SPEC.loader is not None
lint = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(lint)


@pytest.mark.parametrize(
    "line",
    [
        "from p2ce import ActionSet",
        "an action set says what may change",
        "results = Answers(folder)",
        "explanation.question",
        "explainer.why_none(explanation)",
        "Status.ALREADY_FAVOURABLE",
        "p2ce explain --person 17",
        "p2ce portfolio --workers 4",
        "audit(results, id=1, index_column='id')",
        "run(rows, n_workers=2)",
        "rules.at_most_one_of('a', 'b')",
        "p2ce explain --where 'Age > 3'",
        "p2ce bench",
        '"""Give the scores."""',
        "--time-limit 0 is no time.",
        "the same command goes on where it was stopped",
        "What is done is kept: the same command goes on.",
        "except PolicyError as error:",
        "datasets.load_german()",
        "model.fit(applicants.features)",
        "audit.everybody.people",
    ],
)
def test_a_former_name_or_phrase_is_found(line: str) -> None:
    (found,) = lint.old_words_in(line)
    assert found.startswith("1: ")


@pytest.mark.parametrize(
    "line",
    [
        "from p2ce import Policy",
        "a question of the reader",
        "there is no option",
        "the bound is no longer proven",
        "LocalCluster(n_workers=2)",
        "Client(n_workers=2)",
        '"""Return the scores."""',
        "applicants.data, policy.features",
    ],
)
def test_what_is_allowed_is_not_found(line: str) -> None:
    assert not list(lint.old_words_in(line))
