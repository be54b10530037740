"""Whatever a policy file says, reading it gives a policy or a list of what is wrong, never another error."""

import pandas as pd
import pytest

from p2ce import ActionSet, P2CEError, rules
from p2ce.problem.policy_document import Document, read_document
from p2ce.problem.policy_file import parse_policy, to_text
from tests.hostile.plain_data import VALUES, mutations, nested, tame


def content() -> dict[str, object]:
    """Give the content of a policy that uses everything there is."""
    people = pd.DataFrame(
        {
            "Age": range(20, 70),
            "Years": range(50),
            "Rate": [place / 7 for place in range(50)],
            "Own": [0, 1] * 25,
            "Rent": [1, 0] * 25,
            "Home": ["own", "rent"] * 25,
            "Months": [-9, *range(1, 50)],
        }
    )
    actions = (
        ActionSet.infer(people, special_values={"Months": [-9]})
        .within(Rate=(1, 5))
        .step(Rate=0.5)
        .values(Home=["own"])
        .increase_only("Years")
        .display(Age={"name": {"en": "age"}, "unit": "year|years", "values": {20: "twenty"}, "decimals": 0})
        .rule(
            rules.linked("Years", "Age"),
            rules.inequality("Rate <= 2*Months + 50"),
            rules.if_then(if_={"Home": "own"}, then={"Rate": (0, 3)}),
            rules.one_hot("House", ["Own", "Rent"]),
            rules.exclusive("Months", "Rate"),
        )
    )
    found = read_document(to_text(actions)).content
    assert isinstance(found, dict)
    return found


FROM_FILES = [value for value in VALUES if not isinstance(value, bytes) and type(value) is not object]
PLAIN = (*FROM_FILES, nested(10))


def test_no_mutation_of_a_policy_ends_in_another_error() -> None:
    whole = content()
    assert not parse_policy(Document(whole)).problems
    tried, raw = 0, []
    for where, changed in mutations(whole, PLAIN):
        tried += 1
        try:
            policy = parse_policy(Document(changed))
            repr(ActionSet(features=policy.features, rules=tuple(rule for _, rule in policy.rules)))
        except P2CEError as error:
            raw += [where] if not tame(str(error)) else []
        except Exception as error:
            raw.append(f"{where}: {type(error).__name__}")
        else:
            raw += [f"{where}: {one.message[:80]}" for one in policy.problems if len(one.message) > 1000]
    assert tried > 2000
    assert raw == []


@pytest.mark.parametrize("text", ["", "3", "[]", "features: {a: }", "version: 1\nfeatures: {a: {kind: [x]}}"])
def test_small_texts(text: str) -> None:
    assert parse_policy(read_document(text)).problems
