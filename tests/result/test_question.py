"""The question is stored with explanations, once for all people, and is no part of their equality."""

import json
import pickle
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from p2ce.problem.display import Display
from p2ce.result import Distribution, Explanation, Explanations, Feature, Question
from tests.problem.test_display import displays
from tests.result.examples import explanation

labels = st.text() | st.booleans() | st.integers()


@st.composite
def spreads(draw: st.DrawFn) -> Distribution:
    """Shares of labels, or between edges."""
    shares = tuple(draw(st.lists(st.floats(0, 1), max_size=4)))
    count, between = len(shares), draw(st.booleans())
    edges = draw(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=count + 1, max_size=count + 1)
    )
    named = draw(st.lists(labels, min_size=count, max_size=count))
    return Distribution(
        edges=tuple(edges) if between else (),
        labels=() if between else tuple(named),
        shares=shares,
        other=draw(st.floats(0, 1)),
        missing=draw(st.floats(0, 1)),
    )


features = st.builds(
    Feature,
    name=st.text(),
    kind=st.sampled_from(["binary", "whole", "number", "category"]),
    moves=st.sampled_from(["up", "down", "either", "along", "fixed", "protected"]),
    candidates=st.text(),
    steps=st.none() | st.tuples(st.floats(0, 1), st.floats(1, 1e9)),
    display=displays,
    distribution=st.none() | spreads(),
)
questions = st.builds(
    Question,
    features=st.lists(features, max_size=3).map(lambda found: {one.name: one for one in found}),
    rules=st.lists(st.text(), max_size=2).map(tuple),
    policy=st.text(),
    people=st.integers(0, 10**9),
    versions=st.dictionaries(st.text(), st.text(), max_size=2),
    hashes=st.dictionaries(st.text(), st.text(), max_size=2),
    settings=st.dictionaries(st.text(), st.none() | st.floats(allow_nan=False) | st.text(), max_size=2),
)


@given(questions)
def test_a_question_survives_json(question: Question) -> None:
    plain = json.loads(json.dumps(question.to_dict()))
    again = Question.from_dict(plain)
    assert again.to_dict() == question.to_dict()
    assert again.features == question.features


@given(questions)
def test_it_travels_with_the_answer_but_is_no_part_of_it(question: Question) -> None:
    answer = explanation(question=question)
    assert answer == explanation()
    again = Explanation.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again.question is not None
    assert again.question.to_dict() == question.to_dict()
    assert "question" not in answer.to_dict(question=False)
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_many_people_keep_each_question_once() -> None:
    one = Question(policy="one")
    other = Question(policy="other")
    many = Explanations([explanation(question=each) for each in (one, one, other, None, one)])
    plain = json.loads(json.dumps(many.to_dict()))
    assert [each["policy"] for each in plain["questions"]] == ["one", "other"]
    again = Explanations.from_dict(plain)
    policies = [None if entry.question is None else entry.question.policy for entry in again]
    assert policies == ["one", "one", "other", None, "one"]
    assert again[0].question is again[1].question
    assert again.to_dict() == many.to_dict()


def test_answers_from_before_there_were_questions_are_read() -> None:
    plain = Explanations([explanation()]).to_dict()
    del plain["questions"]
    assert Explanations.from_dict(plain)[0].question is None


def test_only_what_moves_may_be_advised() -> None:
    changeable = {
        moves: Feature(name="Age", moves=moves).may_change for moves in ("up", "along", "fixed", "protected")
    }
    assert changeable == {"up": True, "along": True, "fixed": False, "protected": False}


def test_rounded_values_are_kept() -> None:
    answer = explanation()
    option = replace(answer[0], rounded={"LoanAmount": 6000.0})
    kept = Explanation.from_dict(explanation(counterfactuals=(option,)).to_dict())
    assert kept[0].rounded == {"LoanAmount": 6000.0}
    assert kept != explanation(counterfactuals=(answer[0],))


def test_a_display_is_as_usual_unless_said_otherwise() -> None:
    assert Feature(name="Age").display == Display()
