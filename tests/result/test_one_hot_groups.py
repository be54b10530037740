"""The columns of one category are one change, with the level's own name."""

from dataclasses import replace

from p2ce.policy.features.display import Display
from p2ce.result import Counterfactual, Feature
from p2ce.result.one_hot_groups import category_groups, level_in, level_names, whole_changes


def features(group: str, *columns: str, **displays: Display) -> dict[str, Feature]:
    return {
        name: Feature(name=name, kind="binary", group=group, display=displays.get(name, Display()))
        for name in columns
    }


HOME = {
    "Age": Feature(name="Age"),
    **features("Housing", "H_own", "H_rent", "H_free", H_rent=Display(name="rented")),
}
MOVE = Counterfactual(
    values={"Age": 42, "H_own": 1, "H_rent": 0, "H_free": 0},
    changes={"H_free": (1, 0), "Age": (41, 42), "H_own": (0, 1)},
    costs={},
    score=0.6,
)


def test_a_group_is_one_change_in_the_place_of_its_first_column() -> None:
    groups = category_groups(HOME)
    assert groups == {"Housing": ("H_own", "H_rent", "H_free")}
    assert list(whole_changes(MOVE, groups).items()) == [
        ("Housing", (("H_free",), ("H_own",))),
        ("Age", (41, 42)),
    ]
    assert whole_changes(MOVE, {}) == MOVE.changes


def test_odd_rows_have_no_level_or_several() -> None:
    groups = category_groups(HOME)
    both = replace(MOVE, changes={"H_own": (0, 1)}, values={"H_own": 1, "H_rent": 1, "H_free": 0})
    assert whole_changes(both, groups)["Housing"] == (("H_rent",), ("H_own", "H_rent"))
    assert level_in({"H_own": 0, "H_rent": None}, groups["Housing"]) == ()


def test_a_group_called_like_a_column_stays_apart() -> None:
    assert category_groups({**features("Age", "Age_old", "Age_young"), "Age": Feature(name="Age")}) == {}


def test_levels_are_called_by_displays_or_without_what_they_share() -> None:
    assert level_names(HOME, "Housing", "en") == {"H_own": "own", "H_rent": "rented", "H_free": "free"}
    cases = {
        ("Job", "job_no", "Job_yes"): ["no", "yes"],
        ("Loan purpose", "purpose_new_car", "purpose_new_boat"): ["car", "boat"],
        ("Home", "own", "rent"): ["own", "rent"],
        ("Home", "owned", "owns"): ["owned", "owns"],
        ("Home", "Home_"): ["Home_"],
        ("Home", "Home=own"): ["own"],
    }
    for (group, *columns), names in cases.items():
        assert list(level_names(features(group, *columns), group, "en").values()) == names
    valued = features("Home", "Home_a", "Home_b", Home_a=Display(values={1: {"en": "ours", "pt": "nossa"}}))
    assert level_names(valued, "Home", "pt")["Home_a"] == "nossa"
