"""A status is its own name."""

import pytest

from p2ce.result import Status


@pytest.mark.parametrize("status", Status)
def test_text_and_name_are_the_same(status: Status) -> None:
    assert str(status) == status.name == status.value == f"{status}"
    assert Status(str(status)) is status


def test_the_promised_ones_exist() -> None:
    promised = "OPTIMAL NO_RECOURSE HEURISTIC TIME_LIMIT ACCEPTED ERROR"
    assert {str(status) for status in Status} == set(promised.split())
