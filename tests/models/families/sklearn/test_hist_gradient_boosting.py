"""Check the reading of histogram gradient boosting on real tables: categories, missing values, targets."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import HistGradientBoostingClassifier

from p2ce.engine.scores.score import score_rows
from p2ce.engine.scores.trees.steps import steps_of_points
from p2ce.models.parse_model import parse_model
from p2ce.tables.codebook import codebook_of
from tests.models.laws import assert_black_box, assert_conforms, numbers, table

FEW = {"max_iter": 12, "random_state": 0, "early_stopping": False}
MARKED = {**FEW, "categorical_features": ["job", "grade", "town"]}


def labelled(number: np.ndarray, classes: int = 2) -> np.ndarray:
    return np.digitize(number, np.quantile(number, np.arange(1, classes) / classes))


def test_categories_go_by_dtype_and_columns_by_name():
    frame, number = table()
    frame = frame.drop(columns="job")
    model = HistGradientBoostingClassifier(**FEW).fit(frame, labelled(number))
    assert model.is_categorical_.sum() == 2
    found, _ = assert_conforms(model, frame[sorted(frame.columns)])
    assert found.columns == tuple(frame.columns)


def test_none_is_a_category_to_the_model_unless_nan_stands_beside_it():
    frame, number = table()
    nones = frame.assign(job=frame["job"].where(frame["job"].notna(), None))
    model = HistGradientBoostingClassifier(**MARKED).fit(nones, labelled(number))
    assert model._preprocessor.named_transformers_["encoder"].categories_[0][-1] is None
    assert_conforms(model, nones)
    frame.loc[frame["job"].isna() & (np.arange(len(frame)) % 2 == 0), "job"] = None
    assert {type(cell) for cell in frame["job"][frame["job"].isna()]} == {float, type(None)}
    model = HistGradientBoostingClassifier(**MARKED).fit(frame, labelled(number))
    assert_black_box(model, frame, "None as a category of 'job'")


def test_numbers_of_an_array_can_be_categories():
    frame, number = table(missing=0.0)
    plain = numbers(frame)
    model = HistGradientBoostingClassifier(categorical_features=[2], **FEW)
    model.fit(plain.to_numpy(), labelled(number))
    # As floats, numbers between and beyond the categories are unknown to the model.
    odd = plain.assign(region=plain["region"] + np.arange(len(plain)) % 3 * 0.5)
    book = codebook_of(plain)
    found = parse_model(model, reference=plain, codebook=book, nullable=["region"])
    rows = pd.concat([odd, plain, plain.assign(region=np.nan), plain.assign(region=-1.0)])
    results = found.evaluate(rows)
    assert np.abs(found.report(score_rows(found.score, book.encode(rows))) - results).max() <= 1e-12


def test_labels_that_only_the_model_knows_are_told_from_those_that_nobody_knows():
    frame, number = table(missing=0.0)
    model = HistGradientBoostingClassifier(**MARKED)
    model.fit(frame, labelled(number))
    part = frame[frame["job"] != "cook"]
    book = codebook_of(part)
    found = parse_model(model, reference=part, codebook=book)
    rows = pd.concat([frame.assign(job=job) for job in ("cook", "never seen", "smith")])
    results = found.evaluate(rows)
    assert np.abs(found.report(score_rows(found.score, found.codebook.encode(rows))) - results).max() <= 1e-12


@given(
    sides=st.dictionaries(st.integers(-4, 4), st.booleans(), max_size=6),
    scale=st.sampled_from([1.0, 1e-3, 2.0**52]),
    elsewhere_left=st.booleans(),
    missing_left=st.booleans(),
    whole=st.booleans(),
)
def test_points_on_a_line_go_their_ways_and_all_others_theirs(
    sides, scale, elsewhere_left, missing_left, whole
):
    scale = max(scale, 1.0) if whole else scale
    points = np.array(sorted(sides), dtype=np.float64) * scale
    ways = [sides[point] for point in sorted(sides)]
    steps = steps_of_points(
        points, ways, elsewhere_left=elsewhere_left, missing_left=missing_left, whole=whole
    )
    near = [points, np.arange(-6.0, 7.0) * scale]
    if not whole:
        near += [np.nextafter(points, np.inf), np.nextafter(points, -np.inf), points + scale / 2]
    values = np.concatenate(near)
    known = dict(zip(points.tolist(), ways, strict=True))
    assert steps.goes_left(values).tolist() == [known.get(value, elsewhere_left) for value in values.tolist()]
    assert steps.goes_left(np.array([-np.inf])).tolist() == [missing_left]


def test_ties_go_to_the_earlier_class():
    frame = pd.DataFrame({"a": [0.0, 0.0, 0.0] * 20})
    model = HistGradientBoostingClassifier(**FEW).fit(frame, [0, 1, 2] * 20)
    assert (model.predict(frame) == 0).all()
    for target in (0, 1, 2):
        found, _ = assert_conforms(model, frame, target=target, undecided=1.0)
        assert ((found.evaluate(frame) >= 0.0) == (target == 0)).all()
