"""Define the form of a policy file: these types check it, and the JSON schema is generated from them."""

import json
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from p2ce.policy.features.display import Display
from p2ce.policy.features.feature import LARGEST_MAGNITUDE
from p2ce.policy.file.typed_entries import about
from p2ce.policy.rules import AnyRuleEntry

SCHEMA = Path(__file__).with_name("policy.schema.json")
VERSION = 1

_FeatureEntry = TypeVar("_FeatureEntry")
_RuleEntry = TypeVar("_RuleEntry")
Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST_MAGNITUDE, le=LARGEST_MAGNITUDE)]
_Ends: TypeAlias = Annotated[list[Number], Meta(min_length=2, max_length=2)]
OpenEnds: TypeAlias = Annotated[list[Number | None], Meta(min_length=2, max_length=2)]
_Amounts: TypeAlias = Annotated[list[Number | str | None], Meta(min_length=2, max_length=2)]
_Run: TypeAlias = Annotated[list[Number], Meta(min_length=3, max_length=3)]
_Numbers: TypeAlias = Annotated[list[Number], Meta(min_length=1)]
Label: TypeAlias = Annotated[str | bool | int | float, about("The label of a category.")]
Labels: TypeAlias = Annotated[list[Label], Meta(min_length=1)]
Dtype: TypeAlias = Literal[
    "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8",
    "float64", "float32", "float16", "bool",
]  # fmt: skip
Missing: TypeAlias = Annotated[
    Literal["keep", "may be filled", "may be made missing", "may be filled or made missing"],
    about("Whether a missing value may become known, and a known one missing."),
]
CanBeMissing: TypeAlias = Annotated[bool, about("Whether the column's type can hold a missing value.")]
Shown: TypeAlias = Annotated[Display, about("How the feature is shown. It changes no result.")]
NUMBERS = "The type of the column's numbers. The default is float64 for the kind number, else int64."
ASSOCIATION = (
    "The direction associated with the favourable outcome, by the data or by the model's monotone "
    "constraints. An option against it is flagged, not forbidden. To forbid it, repeat it as 'direction'."
)
RANGE = "The range [low, high] of candidates, ends included. null is the end of 'seen'."
WITHIN_CHANGE = (
    "How far it may fall and rise from the person's current value: [low, high], in the column's own unit or "
    "in percent, such as [-2, 5] or [-10%, null]. A single +10% lets it rise and not fall, -10% fall and not "
    "rise, and ±10% both."
)
SEEN = "The range [low, high] of the data, and of the candidates unless there is a 'range'."
STEP = (
    "The step between candidates, in the column's own unit. If there are 'inferred_candidates', it applies "
    "only where 'range' extends beyond them. To use it everywhere, delete 'inferred_candidates'."
)
SPECIAL = "Codes that are not numbers, such as -9 for 'no record'. They are not candidates."
PROPOSED = "Rules that hold in all of the data but are not in force. To apply one, move it to 'rules'."
INFERRED = (
    "The policy is only inferred from data, so texts for applicants are drafts. Delete this once you have "
    "stated what may change, or add reviewed_by and reviewed_on."
)
CANDIDATES = (
    "The candidates that the data chose: numbers, and runs [first, last, step]. An explainer adds the values "
    "on either side of a tree model's thresholds. They override 'step'. To choose them again, delete both."
)


class _Feature(
    msgspec.Struct, kw_only=True, tag_field="kind", forbid_unknown_fields=True, omit_defaults=True
):
    dtype: Annotated[Dtype, about(NUMBERS)] | UnsetType = UNSET
    protected: Annotated[bool, about("Whether it never changes and no advice may name it.")] = False
    may_change: Annotated[bool, about("Whether it may change; true unless protected.")] | UnsetType = UNSET
    direction: Annotated[Literal["up", "down", "either"], about("The direction in which it may move.")] = (
        "either"
    )
    association: Annotated[Literal["up", "down", "either"], about(ASSOCIATION)] = "either"


class NumberEntry(_Feature, kw_only=True, tag="number"):
    """A column of numbers."""

    range: Annotated[OpenEnds, about(RANGE)] | UnsetType = UNSET
    within_change: Annotated[Number | str | _Amounts, about(WITHIN_CHANGE)] | UnsetType = UNSET
    candidates: Annotated[_Numbers, about("A list of candidates, in place of steps.")] | UnsetType = UNSET
    seen: Annotated[_Ends, about(SEEN)] | UnsetType = UNSET
    inferred_candidates: Annotated[list[Number | _Run], about(CANDIDATES)] | UnsetType = UNSET
    step: Annotated[float, Meta(gt=0, le=LARGEST_MAGNITUDE, description=STEP)] | UnsetType = UNSET
    special: Annotated[_Numbers, about(SPECIAL)] | UnsetType = UNSET
    may_leave_special: Annotated[bool, about("Whether a special value may become a number.")] = False
    count_from: Annotated[Number, about("The value that steps count from, 0 by default.")] | UnsetType = UNSET
    missing: Missing = "may be filled"
    can_be_missing: CanBeMissing | UnsetType = UNSET
    display: Shown | UnsetType = UNSET


class WholeEntry(NumberEntry, tag="whole"):
    """A column of whole numbers."""


class BinaryEntry(NumberEntry, tag="binary"):
    """A column of 0 and 1."""


class CategoryEntry(_Feature, kw_only=True, tag="category"):
    """A column of labels."""

    candidates: Annotated[Labels, about("The labels that it may take.")] | UnsetType = UNSET
    labels: Annotated[Labels, about("The labels of a category, the most common first.")]
    order: (
        Annotated[Labels, about("All labels from low to high, if the category is ordered.")] | UnsetType
    ) = UNSET
    missing: Missing = "may be filled"
    can_be_missing: CanBeMissing | UnsetType = UNSET
    display: Shown | UnsetType = UNSET


class DateEntry(
    msgspec.Struct, kw_only=True, tag_field="kind", tag="date", forbid_unknown_fields=True, omit_defaults=True
):
    """A column of dates, which never change."""

    protected: Annotated[bool, about("Whether no advice may name it.")] = False
    may_change: Annotated[Literal[False], about("A date never changes.")] = False
    display: Shown | UnsetType = UNSET


AnyFeatureEntry: TypeAlias = BinaryEntry | WholeEntry | NumberEntry | CategoryEntry | DateEntry
FEATURES: dict[str, Any] = {str(entry.__struct_config__.tag): entry for entry in get_args(AnyFeatureEntry)}


class PolicyEntries(msgspec.Struct, Generic[_FeatureEntry, _RuleEntry], forbid_unknown_fields=True):
    """What may change, and how: an entry for each feature, and rules between features."""

    version: Literal[1]
    features: Annotated[
        dict[str, _FeatureEntry],
        Meta(min_length=1, description="An entry for each column of the table, in order."),
    ]
    rules: Annotated[list[_RuleEntry], about("A list, each beginning with '- rule: ...'.")] | None = None
    proposed_rules: Annotated[list[_RuleEntry], about(PROPOSED)] | None = None
    inferred: Annotated[bool, about(INFERRED)] = False
    reviewed_by: Annotated[str, about("Who reviewed the policy; with reviewed_on.")] | UnsetType = UNSET
    reviewed_on: Annotated[str, about("The date of the review, such as 2026-11-18.")] | UnsetType = UNSET


def policy_schema() -> dict[str, Any]:
    """Return the JSON schema of a policy, with which editors check files."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:p2ce:policy:{VERSION}"}
    whole = msgspec.json.schema(PolicyEntries[AnyFeatureEntry, AnyRuleEntry])
    definitions = whole["$defs"]
    policy = definitions.pop(whole["$ref"].rpartition("/")[2])
    for definition in definitions.values():  # only the first paragraph of a docstring
        definition["description"] = definition["description"].partition("\n\n")[0]
    return {**head, **policy, "title": "p2ce policy", "$defs": definitions}


def policy_schema_text(node: Any = None, depth: int = 0) -> str:
    """Write the schema in the form of its file: one line for each property of each type."""
    if depth == 0:
        return policy_schema_text(policy_schema(), 1) + "\n"
    if depth > 4 or not isinstance(node, dict):
        return json.dumps(node, ensure_ascii=False)
    indent = "  " * depth
    lines = [
        f"{indent}{json.dumps(key)}: {policy_schema_text(value, depth + 1)}" for key, value in node.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n" + indent[2:] + "}"


if __name__ == "__main__":  # python -m p2ce.policy.file.policy_entries
    SCHEMA.write_text(policy_schema_text(), encoding="utf-8")
