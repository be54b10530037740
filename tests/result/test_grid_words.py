"""Where no option is claimed, terminal and notebook name the grid; both facts survive JSON."""

import json
from dataclasses import replace

import pytest

from p2ce.result import Explanation, Feature, Question, Status
from p2ce.result.certificate import FINEST, GIVEN, INFERRED
from tests.result.examples import CERTIFICATE, explanation

QUESTION = Question(
    features={
        "LoanAmount": Feature(name="LoanAmount", kind="whole", steps=(10.0, 500.0)),
        "Rate": Feature(name="Rate", steps=(0.25, 0.25)),
        "Age": Feature(name="Age", kind="whole", moves="fixed"),
    }
)
STEPS = "(LoanAmount in steps of 10 to 500, Rate in steps of 0.25)"


def none_on(grid: str, **fields: object) -> Explanation:
    certificate = replace(CERTIFICATE, grid=grid, **fields)  # type: ignore[arg-type]
    return explanation(
        status=Status.NO_RECOURSE, counterfactuals=(), certificate=certificate, question=QUESTION
    )


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (none_on(GIVEN), f"as given {STEPS}"),
        (none_on(INFERRED), f"inferred from the data {STEPS}"),
        (
            none_on(INFERRED, finest_open=True),
            f"inferred from the data; the finest one was searched as well, but not to its end {STEPS}",
        ),
        (
            none_on(FINEST),
            "the finest that the data support, since the usual one held no option "
            f"(the usual one: {STEPS[1:]}",
        ),
        (replace(none_on(GIVEN), question=None), "as given"),
    ],
)
def test_no_option_is_printed_with_its_grid(answer: Explanation, message: str) -> None:
    printed = str(answer).splitlines()
    assert printed[-1] == f"grid: {message}"
    assert printed[-2].startswith("proven on this grid: exact search over 1,234,567 cells")
    assert f">Grid: {message}</p>" in answer._repr_html_()
    assert ">Proven on this grid: exact search" in answer._repr_html_()


def test_options_name_their_grid_only_where_it_is_not_the_usual_one() -> None:
    finest = explanation(certificate=replace(CERTIFICATE, grid=FINEST))
    assert str(finest).endswith("grid: the finest that the data support, since the usual one held no option")
    assert "\nproven: exact search" in str(finest)
    for grid in (GIVEN, INFERRED):
        usual = explanation(certificate=replace(CERTIFICATE, grid=grid))
        assert "grid" not in str(usual)
        assert "Grid" not in usual._repr_html_()
    stopped = none_on(INFERRED, proven=False)
    assert "grid" not in str(replace(stopped, status=Status.TIME_LIMIT))


@pytest.mark.parametrize("grid", [GIVEN, INFERRED, FINEST])
@pytest.mark.parametrize("left_open", [False, True])
def test_grid_and_steps_survive_json(grid: str, left_open: bool) -> None:
    answer = none_on(grid, finest_open=left_open)
    back = Explanation.from_dict(json.loads(json.dumps(answer.to_dict())))
    assert back == answer
    assert back.certificate is not None
    assert (back.certificate.grid, back.certificate.finest_open) == (grid, left_open)
    assert back.question is not None
    assert [one.steps for one in back.question.features.values()] == [(10.0, 500.0), (0.25, 0.25), None]
    assert str(back) == str(answer)
