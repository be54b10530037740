"""Are numbers written as runs the very same numbers when they are read back?"""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from p2ce.policy.features.decimals import as_typed
from p2ce.policy.file.policy_features import Run, numbers_in, runs_of

NUMBERS = st.lists(
    st.floats(-1e9, 1e9).map(lambda x: x + 0.0)
    | st.integers(-1000, 1000).map(float)
    | st.integers(0, 99).map(lambda i: i / 10),
    unique=True,
    max_size=60,
)


@given(NUMBERS)
def test_runs_written_out_are_the_numbers(numbers: list[float]) -> None:
    runs = runs_of(sorted(numbers))
    assert numbers_in(runs) == tuple(sorted(numbers))


def test_equal_steps_become_one_run() -> None:
    tenths = [i / 10 for i in range(1, 40)]
    (run,) = runs_of(tenths)
    assert isinstance(run, Run)
    assert (run.first, run.last, float(run.step)) == (0.1, 3.9, 0.1)
    assert [len(part.numbers()) for part in runs_of([1.0, 2.0, 3.0, 5.0, 10.0, 15.0])] == [3, 3]


@given(NUMBERS)
def test_steps_are_equal_as_fractions_are(numbers: list[float]) -> None:
    """Runs are joined by decimals, which is quicker; fractions are the slow twin."""
    numbers = sorted(numbers)
    typed = {number: as_typed(number) for number in numbers}
    for run in runs_of(numbers):
        inside = [typed[number] for number in numbers if run.first <= number <= run.last]
        steps = {after - before for before, after in pairwise(inside)}
        assert steps == ({run.step} if run.step else set())
        assert isinstance(run.step, Fraction)
