"""Can every rule of the folder be found by name, and is it public?"""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import p2ce.policy.rules
from p2ce import rules as public
from p2ce.errors import InvalidPolicy
from p2ce.policy.rules import RULES, Rule, rule_from_plain

FOLDER = Path(p2ce.policy.rules.__file__).parent


def test_every_rule_of_the_folder_is_registered_and_has_a_public_factory() -> None:
    found: set[type[Rule]] = set()
    for path in FOLDER.glob("*.py"):
        module = import_module(f"p2ce.policy.rules.{path.stem}")
        classes = [one for _, one in inspect.getmembers(module, inspect.isclass)]
        found |= {one for one in classes if issubclass(one, Rule) and not inspect.isabstract(one)}
    assert {rule.kind for rule in found} == set(RULES)
    for kind in RULES:
        assert callable(getattr(public, kind))
    assert set(public.__all__) == {"CHANGES", "Rule", *RULES}


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({"rule": "link"}, "there is no rule 'link'. Did you mean 'linked'"),
        ({"rule": "linked", "driver": "a"}, "needs 'follower'"),
        (
            {"rule": "linked", "driver": "a", "folower": "b"},
            "unknown entry 'folower'. Did you mean 'follower'",
        ),
        ({"rule": "together", "columns": "abc"}, "columns of the rule must be a list, got 'abc'"),
        ({"rule": "one_hot", "name": "x", "columns": "abc"}, "must be a list"),
        ({"rule": "predicate", "function": 3}, "must be text, got 3"),
        ({"rule": "change_at_most_one", "columns": [True, "b"]}, "got True. The name of a column"),
        ({"columns": ["a", "b"]}, "needs its 'rule': one of"),
        (["together"], "needs entries such as"),
    ],
)
def test_a_wrong_plain_form_is_reported(plain: Any, message: str) -> None:
    with pytest.raises(InvalidPolicy, match=message):
        rule_from_plain(plain)
