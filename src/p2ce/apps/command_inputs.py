"""Load the inputs of a command, from files to an explainer: model, reference, people and policy."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.messages import count_of, notice
from p2ce.apps.model_files.load_model import LoadedModel, load_model
from p2ce.apps.model_files.model_columns import ModelColumns, columns_of_model
from p2ce.apps.points_argument import read_points
from p2ce.apps.reference_types import tell_new_labels, typed_reference
from p2ce.apps.target_argument import find_labels, read_target
from p2ce.base.files import require_file
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed, listed
from p2ce.errors import InvalidArgument, InvalidObjective, InvalidTarget, nearest
from p2ce.tables import typed_columns as cells
from p2ce.tables.cells import is_missing
from p2ce.tables.table_files import Table, read_table

if TYPE_CHECKING:
    import pandas as pd

    from p2ce.explainer import Explainer
    from p2ce.policy.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelArguments:
    """The arguments that name a model and state what is trusted."""

    model: str | None = None
    weights: Path | None = None
    trust_model: bool = False
    trust_predicates: bool = False
    limits: Limits = DEFAULT

    def load(self, model: str) -> LoadedModel:
        """Load the model from a file, or from Python code."""
        return load_model(model, weights=self.weights, trust_model=self.trust_model, limits=self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs(ModelArguments):
    """The arguments that state the problem."""

    model: str
    data: Path | None = None
    reference: Path | None = None
    policy: Path | None = None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    target: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    outcome: str | None = None
    points: str | None = None
    row_limits: Path | None = None
    max_changes: int | None = 3
    objectives: tuple[str, ...] = ()
    contamination: float | None = None
    plausible: bool = True
    plausibility_of_today: str = "counts"
    price_of_plausibility: bool = False

    @property
    def files(self) -> dict[str, Path | None]:
        """Map options to the files that are read. The model may be Python code instead of a file."""
        others = {"--data": self.data, "--reference": self.reference, "--policy": self.policy}
        last = {"--limits": self.row_limits, "--weights": self.weights}
        return {"--model": Path(self.model), **others, **last}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ready:
    """The loaded inputs: the explainer, and the rows in the form that it takes."""

    explainer: "Explainer"
    loaded: LoadedModel
    reference: "pd.DataFrame"
    rows: "pd.DataFrame"  # the people to explain, with the model's columns
    ids: list[Any]  # one for each of the rows
    policy: "Policy"
    row_limits: Table | None  # each person's own limits


def check_files(inputs: Inputs, *, rows: bool = True) -> None:
    """Check that all files exist, before any is read. Without ``rows``, a model is enough."""
    from p2ce.apps.model_files.detect_format import detect

    detect(inputs.model, inputs.limits)
    for option, path in inputs.files.items():
        if path is not None and option != "--model":
            require_file(path, option)
    if rows and inputs.data is None and inputs.reference is None:
        raise InvalidArgument("The table of people is missing. Add --data people.csv")
    read_points(inputs.points)
    if inputs.contamination is not None and not inputs.plausible:
        raise InvalidArgument(
            "--contamination sets plausibility, and --no-plausibility removes it. Use only one of them."
        )


def make_ready(inputs: Inputs) -> Ready:
    """Read all files and build the explainer."""
    loaded = inputs.load(inputs.model)
    table = None if inputs.data is None else read_table(inputs.data, "--data", limits=inputs.limits)
    if inputs.reference is None:
        assert table is not None  # check_files requires it
        notice(
            "Without --reference, the people of --data are the population. For better ranges and "
            "plausibility, add --reference with the training data."
        )
        reference_table = table
    else:
        reference_table = read_table(inputs.reference, "--reference", limits=inputs.limits)
    stated = _read_policy(inputs)
    known = columns_of_model(loaded.model)
    table = table or reference_table
    names = _names(inputs, known, reference_table, table, stated)
    reference = typed_reference(reference_table, names, known, stated, loaded.kind)
    _require(table, names, "--data", "the model")
    rows = cells.typed_rows(table, reference)
    if table is not reference_table:
        tell_new_labels(table, rows, reference)
    policy = _settled_policy(inputs, stated, reference, table)
    target = read_target(loaded.model, inputs.target)
    unused = [name for name in reference_table.columns if name not in (*names, inputs.id_column)]
    labels = find_labels(loaded.model, reference_table, unused)
    _tell_unused(inputs, table, names)
    return Ready(
        explainer=_explainer(inputs, loaded.model, reference, policy, target, labels),
        loaded=loaded,
        reference=reference,
        rows=rows,
        ids=_ids(inputs, table),
        policy=policy,
        row_limits=None
        if inputs.row_limits is None
        else read_table(inputs.row_limits, "--limits", limits=inputs.limits),
    )


def as_the_model_takes_it(
    model: str, table: Table, drop: tuple[str, ...], limits: Limits = DEFAULT
) -> "pd.DataFrame":
    """Return the columns of a table that a model takes, in the types that it takes."""
    loaded = load_model(model, limits=limits)
    known = columns_of_model(loaded.model)
    names = _names(Inputs(model=model, reference=table.path, drop=drop), known, table, table, None)
    return typed_reference(table, names, known, None, loaded.kind)


def _read_policy(inputs: Inputs) -> "Policy | None":
    if inputs.policy is None:
        return None
    from p2ce.policy.policy import Policy

    return Policy.load(inputs.policy, trust_predicates=inputs.trust_predicates, limits=inputs.limits)


def _names(
    inputs: Inputs, known: ModelColumns, table: Table, people: Table, policy: "Policy | None"
) -> list[str]:
    """Find the model's columns, under their names in the reference."""
    both = list(dict.fromkeys([*table.columns, *people.columns]))
    for name in inputs.drop:
        if name not in both:
            raise InvalidArgument(
                f"--drop {echoed(name)} is not a column of the tables. {nearest(name, both)}"
            )
        if known.names is not None and name in known.names:
            raise InvalidArgument(
                f"--drop {echoed(name)} is a column that the model needs. Remove this option."
            )
    left = [name for name in table.columns if name not in inputs.drop and name != inputs.id_column]
    if known.names is not None:
        # LightGBM turns spaces in names into underscores.
        own = {name.replace(" ", "_"): name for name in left}
        names = [name if name in left else own.get(name, name) for name in known.names]
        _require(table, names, "--reference" if inputs.reference else "--data", "the model")
        return names
    # By position: all columns, those of both tables (new applicants have no outcome), or the policy's.
    shared = [name for name in left if name in people.columns]
    named = [name for name in left if policy is not None and name in policy.names]
    if known.count is None:
        return named or shared
    for found in (left, shared, named):
        if len(found) == known.count:
            return found
    raise InvalidArgument(
        f"The model takes {count_of(known.count, 'column')} without names, but {table.path.name} has "
        f"{len(left)}: {listed(left)}. Leave out the other columns with --drop."
    )


def _require(table: Table, names: list[str], option: str, who: str) -> None:
    missing = [name for name in names if name not in table.columns]
    if missing:
        more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise InvalidArgument(
            f"{option} {echoed(str(table.path))} has no column {echoed(missing[0])}{more}, which {who} "
            f"needs. {nearest(missing[0], table.columns)}"
        )


def _tell_unused(inputs: Inputs, table: Table, names: list[str]) -> None:
    """Print the columns of --data that are ignored although no option drops them."""
    used = (*names, inputs.id_column, *inputs.drop)
    unused = [name for name in table.columns if name not in used]
    if unused:
        columns = "columns" if len(unused) > 1 else "column"
        notice(f"The model does not use the {columns} {listed(unused)} of {table.path.name}.")


def _ids(inputs: Inputs, table: Table) -> list[Any]:
    name = inputs.id_column
    if name is None:
        return list(range(len(table.frame)))
    if name not in table.columns:
        raise InvalidArgument(
            f"--id-column {echoed(name)} is not a column of {table.path.name}. {nearest(name, table.columns)}"
        )
    # Exactly as in the file: 00417 and 417 are two people.
    return [None if is_missing(one) else one for one in table.frame[name].tolist()]


def _settled_policy(
    inputs: Inputs, policy: "Policy | None", reference: "pd.DataFrame", people: Table
) -> "Policy":
    """Return the policy for the model's columns; without one, infer it from the population."""
    from p2ce.policy.inference.name_hints import likely_protected
    from p2ce.policy.policy import Policy

    if policy is None:
        inferred = Policy.infer(reference)
        moving = [name for name in reference.columns if not inferred[name].fixed]
        notice(
            "Without --policy, the policy is inferred from the population. "
            + (
                f"These features may change: {listed(moving, most=20)}. "
                if moving
                else "Nothing may change. "
            )
            + "Review this before you advise applicants. To write a policy that you can edit, run: "
            "p2ce policy infer"
        )
        return inferred
    names = list(reference.columns)
    missing = [name for name in names if name not in policy.names]
    if missing:
        raise InvalidArgument(
            f"--policy {echoed(str(inputs.policy))} lacks the feature {echoed(missing[0])}. "
            f"{nearest(missing[0], policy.names)} Add it, with may_change: false if it must not change."
        )
    for name in names:
        _require_kind(inputs, policy, reference, name)
    extra = [name for name in policy.names if name not in names]
    strange = [name for name in extra if name not in people.columns]
    if strange:
        raise InvalidArgument(
            f"--policy {echoed(str(inputs.policy))} names {echoed(strange[0])}, which is not a column of "
            f"the model. {nearest(strange[0], names)}"
        )
    open_ones = [name for name in names if not policy[name].fixed and likely_protected(name) is not None]
    if open_ones:
        notice(
            f"The policy lets columns change that look protected: {listed(open_ones)}. Run: p2ce policy check"
        )
    if extra:
        notice(f"The policy also names {listed(extra)}, which the model does not use.")
        return replace(
            policy,
            features=tuple(feature for feature in policy.features if feature.name in names),
            rules=tuple(rule for rule in policy.rules if set(rule.columns) <= set(names)),
            proposed_rules=tuple(r for r in policy.proposed_rules if set(r.columns) <= set(names)),
        )
    return policy


def _require_kind(inputs: Inputs, policy: "Policy", reference: "pd.DataFrame", name: str) -> None:
    """Raise if a feature is a number in the policy and a category in the model, or vice versa."""
    from p2ce.tables.codebook import coding_of

    labels = coding_of(reference[name]).labels
    if policy[name].is_category == (labels is not None):
        return
    if labels is None:
        raise InvalidArgument(
            f"{echoed(name)} is a category in --policy {echoed(str(inputs.policy))}, but a number in the "
            "model. Write kind: whole or kind: number, and its range as seen: [low, high]"
        )
    shown = ", ".join(map(str, labels[:8])) + (", …" if len(labels) > 8 else "")
    raise InvalidArgument(
        f"{echoed(name)} has kind: {policy[name].kind} in --policy {echoed(str(inputs.policy))}, but is a "
        f"category in the model. Write kind: category and labels: [{shown}], or start from: "
        f"p2ce policy infer --model {inputs.model}"
    )


def _explainer(
    inputs: Inputs,
    model: Any,
    reference: "pd.DataFrame",
    policy: "Policy",
    target: Any,
    labels: "pd.Series[Any] | None",
) -> "Explainer":
    from p2ce.explainer import DEFAULT_OBJECTIVES, Explainer
    from p2ce.models.detectors.plausibility_forest import PlausibilityForest

    try:
        return Explainer(
            model,
            reference,
            policy=policy,
            target=target,
            y=labels,
            at_least=inputs.at_least,
            at_most=inputs.at_most,
            outcome=inputs.outcome,
            report=read_points(inputs.points),
            objectives=inputs.objectives or DEFAULT_OBJECTIVES,
            max_changes=inputs.max_changes,
            plausibility=PlausibilityForest(contamination=inputs.contamination) if inputs.plausible else None,
            plausibility_of_today=inputs.plausibility_of_today,  # type: ignore[arg-type]  # checked there
            price_of_plausibility=inputs.price_of_plausibility,
        )
    except (InvalidTarget, InvalidObjective) as error:
        raise type(error)(error.on_command_line) from error
