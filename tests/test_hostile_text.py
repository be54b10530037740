"""Names, labels and values of a million characters, or made to steer a terminal, end in a short error."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import p2ce
from p2ce import ActionSet, Display, Explainer, rules
from p2ce.apps.table_files import read_table
from p2ce.apps.where_expression import rows_where
from p2ce.limits import read_limits
from p2ce.result import Counterfactual, Explanation, Explanations, Status
from p2ce.visible import UNSEEN
from tests.apps.commands import run
from tests.hostile.plain_data import ESCAPES, HUGE_TEXT, nested, tame
from tests.populations import loans
from tests.result.test_untrusted_json import ANSWER, WHY

SOURCES = Path(__file__).parent.parent / "src" / "p2ce"
HOSTILE: dict[str, Any] = {
    "long": HUGE_TEXT,
    "escapes": ESCAPES,
    "long escapes": ESCAPES * 10**5,
    "words": "no such thing " * 10**5,
    "a list": [HUGE_TEXT] * 50,
    "many numbers": list(range(10**6)),
    "nested": nested(10**5),
    "a dict": {HUGE_TEXT: HUGE_TEXT},
    "a number": 10**5000,
    "less than a number": -(10**5000),
    "a float": float("nan"),
    "bytes": b"\x1b" * 10**6,
}


def people() -> pd.DataFrame:
    return loans.people()


def actions() -> ActionSet:
    return ActionSet.infer(people())


def explainer() -> Explainer:
    return loans.explainer(plausibility=None)


def person(**changed: Any) -> dict[str, Any]:
    return {**loans.refused().iloc[0].to_dict(), **changed}


# What is done with a hostile value; each has to end in an error of ours, or to take it.
ENTRIES: dict[str, Callable[[Any], Any]] = {
    "fix": lambda bad: actions().fix(bad),
    "within": lambda bad: actions().within({"Income": bad}),
    "within ends": lambda bad: actions().within({"Income": (bad, bad)}),
    "within a name": lambda bad: actions().within(
        {str(bad)[: 10**6] if isinstance(bad, str) else "x": (0, 1)}
    ),
    "step": lambda bad: actions().step({"Income": bad}),
    "values": lambda bad: actions().values({"Income": bad}),
    "one of the values": lambda bad: actions().values({"Income": [bad]}),
    "display": lambda bad: actions().display({"Income": bad}),
    "display name": lambda bad: Display(name=bad),
    "display style": lambda bad: Display(style=bad),
    "display decimals": lambda bad: Display(decimals=bad),
    "display values": lambda bad: Display(values=bad),
    "rule": lambda bad: actions().rule(bad),
    "linked": lambda bad: actions().rule(rules.linked("Income", bad)),
    "ratio": lambda bad: rules.linked("Income", "Debt", ratio=bad),
    "inequality": lambda bad: rules.inequality(bad),
    "if_then": lambda bad: actions().rule(rules.if_then(if_={"Income": bad}, then={"Debt": 1})),
    "one_hot": lambda bad: actions().rule(rules.one_hot(bad, bad)),
    "special values": lambda bad: ActionSet.infer(people(), special_values={"Income": bad}),
    "special names": lambda bad: ActionSet.infer(people(), special_values=bad),
    "infer": lambda bad: ActionSet.infer(bad),
    "getitem": lambda bad: actions()[bad],
    "load": lambda bad: ActionSet.load(bad) if isinstance(bad, str) else None,
    "load explainer": lambda bad: p2ce.load(bad, loans.forest()) if isinstance(bad, str) else None,
    "target": lambda bad: loans.explainer(target=bad, plausibility=None),
    "threshold": lambda bad: loans.explainer(threshold=bad, plausibility=None),
    "margin": lambda bad: loans.explainer(margin=bad, plausibility=None),
    "scale": lambda bad: loans.explainer(scale=bad, plausibility=None),
    "objectives": lambda bad: loans.explainer(objectives=bad, plausibility=None),
    "objective": lambda bad: loans.explainer(objectives=[bad], plausibility=None),
    "max_changes": lambda bad: loans.explainer(max_changes=bad, plausibility=None),
    "contamination": lambda bad: loans.explainer(contamination=bad),
    "method": lambda bad: loans.explainer(method=bad, plausibility=None),
    "bound": lambda bad: loans.explainer(bound=bad, plausibility=None),
    "random_state": lambda bad: loans.explainer(random_state=bad),
    "a forest": lambda bad: loans.explainer(plausibility=p2ce.IsolationForest(n_estimators=bad)),
    "person": lambda bad: explainer().explain(bad),
    "a value of the person": lambda bad: explainer().explain(person(Income=bad)),
    "a name of the person": lambda bad: explainer().explain(
        person(**{"x" if not isinstance(bad, str) else bad: 1})
    ),
    "proposal": lambda bad: explainer().check(person(), {"Income": bad}),
    "time_limit": lambda bad: explainer().explain(person(), time_limit=bad),
    "n_jobs": lambda bad: explainer().explain_many(loans.refused().head(1), n_jobs=bad),
    "from_dict": lambda bad: Explanation.from_dict(bad),
    "format": lambda bad: Explanation.from_dict({"format": bad}),
    "from_json": lambda bad: Explanations.from_json(bad),
    "audience": lambda bad: p2ce.to_text(ANSWER, audience=bad),
    "language": lambda bad: p2ce.to_text(ANSWER, language=bad),
    "pick": lambda bad: ANSWER.pick(bad),
    "kind": lambda bad: ANSWER.to_frame(kind=bad),
    "title": lambda bad: p2ce.to_html(ANSWER, title=bad),
    "limit": lambda bad: read_limits([bad]) if isinstance(bad, str) else p2ce.Limits(table_rows=bad),
    "where": lambda bad: rows_where(bad, people()) if isinstance(bad, str) else None,
    "where name": lambda bad: rows_where(f"`{bad}` < 3", people()) if isinstance(bad, str) else None,
    "where text": lambda bad: (
        rows_where(f"Income == '{bad[:900]}'", people()) if isinstance(bad, str) else None
    ),
    "table": lambda bad: read_table(Path(bad), "--data") if isinstance(bad, str) else None,
}


@pytest.mark.parametrize("name", ENTRIES)
def test_no_error_repeats_what_is_hostile(name: str) -> None:
    raw = []
    for kind, bad in HOSTILE.items():
        try:
            ENTRIES[name](bad)
        except p2ce.P2CEError as error:
            if not tame(str(error)):
                raw.append(f"{kind}: {len(str(error))} characters, {str(error)[:200]!r}")
        except Exception as error:
            raw.append(f"{kind}: {type(error).__name__} {str(error)[:200]!r}")
    assert not raw


def hostile_answer() -> Explanation:
    """Make an answer whose columns, labels and messages all try to steer a terminal."""
    bad = f"{ESCAPES}\n2. fake"
    option = Counterfactual(
        values={bad: bad}, changes={bad: ("a", bad)}, costs={bad: 1.0}, score=0.6, plausibility=0.1
    )
    return Explanation(
        status=Status.OPTIMAL,
        person={bad: "a"},
        person_score=0.2,
        threshold=0.5,
        target=bad,
        counterfactuals=(option,),
        certificate=ANSWER.certificate,
        objectives=(bad,),
        dtypes={bad: "object"},
        message=bad,
    )


def test_texts_hold_nothing_that_is_not_seen() -> None:
    answer = hostile_answer()
    frame = pd.DataFrame({ESCAPES: ["a", f"b{ESCAPES}"], "x": [1, 2]})
    rule = rules.exclusive(ESCAPES, "x")
    texts = [
        *(str(answer), repr(answer), str(answer[0]), repr(answer[0]), answer._repr_html_()),
        *(p2ce.to_text(answer, audience=who) for who in ("person", "officer", "auditor")),
        *(p2ce.to_html(answer), p2ce.to_markdown(answer), str(WHY), repr(WHY)),
        *(
            str(Explanations([answer], labels=[ESCAPES])),
            Explanations([answer], labels=[ESCAPES])._repr_html_(),
        ),
        *(repr(ActionSet.infer(frame).rule(rule)), str(rule), repr(rule)),
    ]
    for text in texts:
        assert not UNSEEN.search(text.replace("\n", "")), repr(UNSEEN.search(text.replace("\n", "")))
        assert "\n2. fake" not in text


def test_what_cannot_be_seen_is_written_as_its_code() -> None:
    assert "\\x1b[31m" in str(hostile_answer())
    assert "\\u202e" in p2ce.to_text(hostile_answer(), audience="officer")


def test_the_command_line_repeats_nothing_hostile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[31mred\u202e"
    frame = pd.DataFrame({name: [f"a{name}", "b", "c"] * 9, "x": range(27)})
    frame.to_csv(tmp_path / "people.csv", index=False)
    out = tmp_path / f"{name}.yaml"
    for words in (
        ("policy", "infer", tmp_path / "people.csv", "--out", out),
        ("policy", "check", out, tmp_path / "people.csv"),
        ("policy", "check", tmp_path / f"{name}none", tmp_path / "people.csv"),
        ("explain", "--model", name, "--data", tmp_path / "people.csv"),
        ("explain", "--model", "x", "--data", "y", "--threshold", name + "x" * 10**5),
        ("bench", "--people", name + "x" * 10**5),
        ("x" * 10**5 + name,),
        ("policy", "infer", tmp_path / "people.csv", "--drop", name, "--out", tmp_path / "q.yaml"),
        ("policy", "infer", tmp_path / "people.csv", "--drop", name + "y" * 10**5),
    ):
        ran = run(capsys, *words)
        shown_text = ran.out + ran.err
        assert not UNSEEN.search(shown_text.replace("\n", "")), words
        assert len(shown_text) < 3000, words


def test_messages_echo_values_by_one_function() -> None:
    """A value in a message is written by `echoed`, which cuts it, and not by Python's own repr."""
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise):
                found += [
                    f"{path.name}:{part.lineno}"
                    for part in ast.walk(node)
                    if isinstance(part, ast.FormattedValue) and part.conversion == ord("r")
                ]
    allowed = {"__init__.py"}  # a name that Python looks up
    assert [one for one in found if one.split(":")[0] not in allowed] == []


def test_names_of_a_model_are_echoed_in_bounds() -> None:
    frame = pd.DataFrame({"x" * 10**5: [0, 1, 2, 3], "b": [1, 1, 0, 0]})
    model = DecisionTreeClassifier().fit(frame, [0, 0, 1, 1])
    for wrong in (frame[["b"]], frame.rename(columns={"b": ESCAPES * 10**4})):
        with pytest.raises(p2ce.P2CEError) as caught:
            Explainer(model, wrong)
        assert tame(str(caught.value))
