"""A call that fails now and then is tried again, one that fails for good is not waited for."""

import time
from collections.abc import Callable, Iterator

import pytest

from p2ce.base.calls import retries
from p2ce.base.calls.retries import FORGOTTEN_AFTER, MOST_IN_VAIN, PAUSES, Retries
from p2ce.errors import InvalidOutput, NotFitted

TRIES = len(PAUSES) + 1


class Stumbling:
    """A call that fails as often as it is told to, and counts."""

    def __init__(self, failures: Iterator[bool], error: BaseException | None = None) -> None:
        self.failures, self.calls = failures, 0
        self.error = error or InvalidOutput("the service is away")

    def __call__(self, rows: int) -> int:
        self.calls += 1
        if next(self.failures):
            raise self.error
        return rows


def retrying(call: Callable[[int], int]) -> Callable[[int], int]:
    """Retry a call as `ModelCall` does."""
    retries = Retries()

    def asked(rows: int) -> int:
        for attempt in retries.attempts():
            with attempt:
                return call(rows)
        raise AssertionError

    return asked


def always() -> Iterator[bool]:
    while True:
        yield True


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record pauses instead of making them."""
    pauses: list[float] = []
    monkeypatch.setattr(retries, "PAUSES", PAUSES)
    monkeypatch.setattr(retries.time, "sleep", pauses.append)
    return pauses


@pytest.mark.parametrize("failures", range(TRIES))
def test_what_stumbles_fewer_times_than_it_is_tried_succeeds(failures: int, slept: list[float]) -> None:
    call = Stumbling(iter([True] * failures + [False]))
    assert retrying(call)(7) == 7
    assert call.calls == failures + 1
    assert slept == list(PAUSES[:failures])


def test_what_fails_for_good_is_waited_for_a_second_in_all(slept: list[float]) -> None:
    """However many people it fails for: the bound that the module states."""
    call = Stumbling(always())
    asked = retrying(call)
    for _ in range(1000):
        with pytest.raises(InvalidOutput):
            asked(1)
    assert call.calls == 1000 + MOST_IN_VAIN * len(PAUSES)
    assert sum(slept) == pytest.approx(MOST_IN_VAIN * sum(PAUSES))
    assert sum(slept) <= 1.0


def test_a_retry_that_helps_restores_the_patience(slept: list[float]) -> None:
    pattern = ([True] * TRIES * (MOST_IN_VAIN - 1) + [True, False]) * 3
    call = Stumbling(iter(pattern))
    asked = retrying(call)
    for _ in range(3):
        for _ in range(MOST_IN_VAIN - 1):
            with pytest.raises(InvalidOutput):
                asked(1)
        assert asked(1) == 1
    assert call.calls == len(pattern)


def test_after_a_minute_it_is_tried_again(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(retries.time, "monotonic", lambda: now)
    call = Stumbling(always())
    asked = retrying(call)
    for _ in range(MOST_IN_VAIN + 3):
        with pytest.raises(InvalidOutput):
            asked(1)
    now += FORGOTTEN_AFTER + 1.0
    call.failures = iter([True, False])
    assert asked(1) == 1


def test_what_took_long_to_fail_is_not_repeated(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(0, 1000, 5))
    monkeypatch.setattr(retries.time, "monotonic", lambda: float(next(ticks)))
    call = Stumbling(always())
    with pytest.raises(InvalidOutput):
        retrying(call)(1)
    assert (call.calls, slept) == (1, [])


def exits() -> InvalidOutput:
    error = InvalidOutput("model(rows) called sys.exit(3)")
    error.__cause__ = SystemExit(3)
    return error


def of_other_columns() -> InvalidOutput:
    error = InvalidOutput("model(rows) accepts rows in neither form")
    error.__cause__ = InvalidOutput("model(rows) raised ValueError")
    error.__cause__.__cause__ = ValueError("The feature names should match those passed during fit.")
    return error


@pytest.mark.parametrize(
    "make",
    [
        lambda: NotFitted("not fitted"),
        of_other_columns,
        exits,
        KeyboardInterrupt,
        lambda: ZeroDivisionError("a mistake of p2ce"),
    ],
)
def test_what_will_not_pass_is_not_repeated(make: Callable[[], BaseException], slept: list[float]) -> None:
    error = make()
    call = Stumbling(always(), error)
    with pytest.raises(type(error)):
        retrying(call)(1)
    assert (call.calls, slept) == (1, [])
