"""Check that the methods are settings of one engine, and how they are looked up."""

from dataclasses import replace

import pytest

from p2ce.errors import InvalidOption
from p2ce.search.engine import UNLIMITED, rules_of
from p2ce.search.methods import METHODS, find_method


def test_every_method_is_found_by_its_name() -> None:
    for name, method in METHODS.items():
        assert find_method(name) is method
        assert method.name == name


def test_an_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"'mapocan'.*Did you mean 'mapocam'"):
        find_method("mapocan")


def test_the_ablation_lacks_the_partial_test_and_nothing_else() -> None:
    whole, ablation = METHODS["p2ce"], METHODS["p2ce-ablation"]
    assert replace(ablation, name=whole.name, partial_check=whole.partial_check) == whole
    assert (whole.partial_check, ablation.partial_check) == (1, 0)


def test_mapocam_asks_no_detector() -> None:
    assert not METHODS["mapocam"].plausible
    assert all(method.plausible for name, method in METHODS.items() if name != "mapocam")


def test_rules_never_list_more_changes_than_are_allowed() -> None:
    for method in METHODS.values():
        for limit in (1, 2, 3, 5, None):
            rules = rules_of(method, max_changes=limit, keep_ties=False, use_bounds=True)
            assert rules.max_changes == (UNLIMITED if limit is None else limit)
            assert rules.listed <= rules.max_changes


def test_without_bounds_neither_score_is_bounded() -> None:
    for method in METHODS.values():
        rules = rules_of(method, max_changes=3, keep_ties=False, use_bounds=False)
        assert not rules.model_check
        assert rules.partial_check == 0
