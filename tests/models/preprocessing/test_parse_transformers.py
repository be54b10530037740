"""Check that input maps return what the transformers themselves make of a table, bit by bit."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from p2ce.errors import UnsupportedModel
from p2ce.models.preprocessing.fold import Fold
from p2ce.models.preprocessing.parse_transformers import (
    TRANSFORMERS,
    ParsedTransformers,
    check_input_maps,
    parse_transformers,
)
from p2ce.models.preprocessing.rewrite import pieces_of
from p2ce.models.preprocessing.transform_rows import Preparation, Prepared, as_codes
from p2ce.tables.codebook import codebook_of
from tests.models.preprocessing.tables import COMPLETE, INCOMPLETE, LABELS, NUMBERS, hot, on, table
from tests.optional import needs


def looked_through(step, frame) -> ParsedTransformers:
    labels = pd.Index(frame.columns)
    return parse_transformers(
        Preparation(
            steps=(step,),
            feed=lambda given: given,
            codebook=codebook_of(frame),
            labels=labels,
            reference=frame,
        )
    )


def fitted(build, frame, label):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build().fit(frame, label)


def odd_rows(frame: pd.DataFrame, *, missing: bool) -> pd.DataFrame:
    """Mix all columns, with every label, unknown ones and numbers that no one has seen."""
    rng = np.random.default_rng(1)
    codebook = codebook_of(frame)
    strange = {"grade": [9]}
    codebook = codebook.with_labels(
        {one.name: strange.get(one.name, ["stranger"]) for one in codebook if one.is_category}
    )
    codes = np.stack([rng.choice(column, 900) for column in codebook.encode(frame).T], axis=1)
    for place, coding in enumerate(codebook):
        if coding.is_category:
            chosen = rng.random(900) < 0.5
            codes[chosen, place] = rng.integers(0, len(coding.labels), int(chosen.sum()))
            codes[rng.random(900) < 0.1, place] = len(coding.labels)
        elif coding.number_dtype.kind == "f":
            codes[::3, place] = rng.normal(0, 1e4, 300)
            codes[1::9, place] += np.spacing(np.abs(codes[1::9, place]))
        elif coding.name == "cards":
            codes[rng.random(900) < 0.1, place] = 17
        if coding.holds_missing and missing:
            codes[rng.random(900) < 0.1, place] = -np.inf
    return codebook.decode(codes, pd.Index(frame.columns))


def row_by_row(seen: ParsedTransformers, rows: pd.DataFrame) -> np.ndarray:
    """Transform rows one after the other; those that are rejected are NaN."""
    found = []
    for place in range(len(rows)):
        try:
            found.append(as_codes(seen.preparation.quietly(rows.iloc[[place]]), seen.inputs)[0])
        except ValueError:
            found.append(np.full(len(seen.maps.maps_by_input), np.nan))
    return np.array(found)


TABULATED = ("functions", "curves", "curves of one's own")  # with inputs that are not known in between


@pytest.mark.parametrize("name", [*COMPLETE, *INCOMPLETE])
def test_a_lens_shows_what_the_transformers_make_of_rows(name):
    missing = name in INCOMPLETE
    frame, label = table(missing=missing)  # one column in single precision
    step = fitted({**COMPLETE, **INCOMPLETE}[name], frame, label)
    seen = looked_through(step, frame)
    numbers = [input_map for input_map in seen.maps.maps_by_input if not input_map.is_category]
    assert all(pieces_of(one) is not None for one in numbers) != (name in TABULATED)
    if name == "functions":
        names = ("FunctionTransformer (log1p)", "StandardScaler", "FunctionTransformer (absolute)")
        assert seen.names == names
    rows = odd_rows(frame, missing=missing)
    shown = seen.maps.show(seen.preparation.codebook.encode(rows))
    try:
        wanted = as_codes(seen.preparation.quietly(rows), seen.inputs)
        assert np.array_equal(shown, wanted, equal_nan=True)
    except ValueError:
        # Some row is rejected: of that one nothing is claimed, at least about what it is rejected for.
        wanted = row_by_row(seen, rows.head(60))
        refused = np.isnan(wanted).all(axis=1)
        assert 0 < refused.sum() < 60
        assert np.isnan(shown[:60][refused]).any(axis=1).all()
        assert np.array_equal(shown[:60][~refused], wanted[~refused], equal_nan=True)


def test_labels_that_only_the_encoder_knows_are_told_apart():
    """A reference may lack a label that the model was fitted on, and a person may have it."""
    frame, label = table()
    step = fitted(hot, frame, label)
    some = frame[frame["job"] != "poet"]
    seen = looked_through(step, some)
    rows = frame.head(3).assign(job=["poet", "stranger", "cook"])
    shown = seen.maps.show(seen.preparation.codebook.encode(rows))
    assert np.array_equal(shown, as_codes(seen.preparation.quietly(rows), seen.inputs))


def test_every_listed_transformer_is_tried_here():
    tried = set()
    for build in (*COMPLETE.values(), *INCOMPLETE.values()):
        waiting = [build()]
        while waiting:
            one = waiting.pop()
            tried.add(type(one).__name__)
            waiting += [part for part in one.get_params(deep=True).values() if hasattr(part, "get_params")]
    assert set(TRANSFORMERS["sklearn"]) <= tried


class Own(StandardScaler):
    """A scaler that does something else."""

    def transform(self, X, copy=None):
        return super().transform(X, copy=copy) + 1.0


def swapped(rows):
    return rows.iloc[:, ::-1]


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (lambda: on(PCA(2), NUMBERS), "contains PCA"),
        (lambda: on(Own(), NUMBERS), "contains Own"),
        (lambda: on(FunctionTransformer(np.sort), NUMBERS), "FunctionTransformer"),
        (lambda: on(FunctionTransformer(swapped), NUMBERS), r"FunctionTransformer\(swapped\)"),
        (
            lambda: on(FunctionTransformer(np.log, kw_args={"dtype": np.float32}), NUMBERS),
            "FunctionTransformer",
        ),
        (lambda: hot().set_params(transformer_weights={"numbers": 2.0}), "weighs"),
        (lambda: on(StandardScaler(), ["grade"]), "'grade', which holds categories, to StandardScaler"),
        (
            lambda: on("passthrough", ["grade", "age"]),
            "'grade', which holds categories, to its model as numbers",
        ),
        (lambda: on(make_pipeline(SimpleImputer(), PCA(1)), NUMBERS), "contains PCA"),
    ],
)
def test_what_is_not_known_to_work_by_columns_is_refused(build, why):
    frame, label = table()
    step = fitted(build, frame, label)
    with pytest.raises(UnsupportedModel, match=why):
        looked_through(step, frame)


def test_a_version_that_computes_otherwise_is_noticed(monkeypatch):
    """The input maps are compared with the transformers. If these differ, the pipeline is a black box."""
    frame, label = table()
    step = fitted(hot, frame, label)
    plain = TRANSFORMERS["sklearn"]["StandardScaler"]

    def otherwise(one, maps_by_input, given, fold: Fold):
        return plain(one, maps_by_input, given, fold)[::-1]

    monkeypatch.setitem(TRANSFORMERS["sklearn"], "StandardScaler", otherwise)
    with pytest.raises(UnsupportedModel, match="transforms column"):
        looked_through(step, frame)


def test_category_encoders():
    encoders = needs("category_encoders")
    frame, label = table()
    for kind in ("WOEEncoder", "TargetEncoder", "OrdinalEncoder"):
        part = frame[[*LABELS, *NUMBERS]].drop(columns="grade")
        step = fitted(lambda kind=kind: getattr(encoders, kind)(cols=["job", "home"]), part, label)
        seen = looked_through(step, part)
        rows = odd_rows(part, missing=True)
        shown = seen.maps.show(seen.preparation.codebook.encode(rows))
        assert np.array_equal(shown, as_codes(seen.preparation.quietly(rows), seen.inputs), equal_nan=True)
    with pytest.raises(UnsupportedModel, match="hierarchy"):
        looked_through(
            fitted(
                lambda: encoders.TargetEncoder(cols=["job"], hierarchy={"job": {"x": ("cook", "poet")}}),
                part,
                label,
            ),
            part,
        )


def test_columns_are_compared_far_out_even_if_an_encoder_rejects_others_there():
    frame = pd.DataFrame({"size": np.linspace(0.0, 1.0, 40), "grade": np.arange(40) % 4 * 1.0})
    encoder, scaler = OneHotEncoder(handle_unknown="error", sparse_output=False), MinMaxScaler()
    step = ColumnTransformer([("hot", encoder, ["grade"]), ("scaled", scaler, ["size"])]).fit(frame)
    seen = looked_through(step, frame)
    check_input_maps(seen.maps, seen.preparation, seen.inputs)
    # The same on the reference, and different beyond it.
    step.named_transformers_["scaled"].clip = True
    with pytest.raises(UnsupportedModel, match="transforms column 'size' differently"):
        check_input_maps(seen.maps, seen.preparation, seen.inputs)


def test_rows_that_are_no_frame_have_their_columns_in_one_order():
    rows = Prepared(np.zeros((2, 2)), pd.Index(["x0", "x1"]))
    assert rows[["x0", "x1"]].to_numpy().shape == (2, 2)
    with pytest.raises(UnsupportedModel, match="selects 'x1', 'x0', but the transformers return 'x0', 'x1'"):
        rows[["x1", "x0"]]
