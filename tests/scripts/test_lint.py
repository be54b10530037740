"""Former names, translated phrases and names of two things are found; what merely resembles them is not."""

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
        '"""Tell whether the model is parsed."""',
        "It is solved for a instance.",
        "an policy of the user",
        "`objective` is one of them. Left out, it is the first.",
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
        "The applicant cannot tell whether an option exists.",
        "an applicant, a policy, an explanation",
        "applicants.data, policy.features",
    ],
)
def test_what_is_allowed_is_not_found(line: str) -> None:
    assert not list(lint.old_words_in(line))


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("It is checked.", 1),
        ("It is checked. So is this.", 2),
        ("- It is checked. p2ce says so.", 2),
        ("1. It is checked.", 1),
        ("It is 0. The other is 1.", 2),
        ("Call `a. b`, e.g. on a frame.", 1),
        ('It reads "Draft. Do not send." at the top.', 1),
        ("A. Raise the income.", 1),
        ("See [a page](a.md). Then stop.", 2),
        ("**Bold.** Then text.", 2),
        ("It takes 3.5 seconds … and more", 1),
    ],
)
def test_sentences_end_where_a_reader_sees_it(line: str, count: int) -> None:
    assert len(lint.sentences_of(line)) == count


def test_code_tables_and_headings_are_no_prose() -> None:
    page = "# A. Title\n\n| a. B | c |\n\n```text\nA one. A two.\n```\nOne. Two.\n"
    assert [line for _, line in lint.prose_lines(page)] == ["One. Two."]


def test_public_names_are_classes_functions_and_type_aliases() -> None:
    module = (
        "class Cost: ...\nclass _Own: ...\ndef price(): ...\nasync def fetch(): ...\n_Alias = int\n"
        "Costs = list[Cost]\nRow: TypeAlias = tuple[int, ...]\nMOST = 3\nlog = 1\nif MOST:\n    import os\n"
        "@overload\ndef read(x: int): ...\ndef read(x): ...\n"
    )
    assert list(lint.public_names(module)) == [
        (1, "Cost"),
        (3, "price"),
        (4, "fetch"),
        (6, "Costs"),
        (7, "Row"),
        (13, "read"),
    ]


def test_a_name_of_two_things_is_reported_with_both_places() -> None:
    (found,) = lint.shared_names({"Cost": [("a/b.py", 3), ("c.py", 7)], "Price": [("c.py", 9)]})
    assert found.startswith("src/p2ce/a/b.py:3 and src/p2ce/c.py:7: ")
    assert "Cost" in found


def test_modules_of_one_protocol_share_their_names_and_no_others_do() -> None:
    families = [("models/families/torch/family.py", 1), ("models/detectors/density.py", 2)]
    drawn = [(f"present/charts/{medium}/draw_front.py", 1) for medium in ("matplotlib", "svg")]
    assert not list(lint.shared_names({"parse": families, "draw_front": drawn}))
    (found,) = lint.shared_names({"parse": [*families, ("policy/file/policy_file.py", 5)]})
    assert "src/p2ce/policy/file/policy_file.py:5" in found
