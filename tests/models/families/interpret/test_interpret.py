"""Are explainable boosting machines parsed for every kind of column, and otherwise a black box?"""

import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.errors import InvalidModel, NotFitted, UnsupportedModel
from p2ce.models.families.interpret import family
from p2ce.models.parse_model import parse_model, request_for
from p2ce.tables.codebook import codebook_of
from tests.models.laws import assert_conforms, people, table
from tests.optional import LazyLibrary, needs

glassbox = LazyLibrary("interpret.glassbox")
FEW = {"max_rounds": 40, "outer_bags": 1, "n_jobs": 1, "random_state": 0}


def ebm(**options):
    return glassbox.ExplainableBoostingClassifier(**{**FEW, **options})


def columns_as_categories(**dtypes):
    """Make a table whose columns hold numbers, and which the model treats as categories."""
    rng = np.random.default_rng(0)
    columns = {
        "floats": rng.choice([0.1, 2.0, 2.5, 1e20, -0.0], 400),
        "wholes": rng.integers(0, 4, 400),
        "singles": rng.choice(np.array([0.1, 0.3], dtype=np.float32), 400),
        "flags": rng.random(400) < 0.5,
        "words": rng.choice(["1", "2", "three"], 400),
    }
    frame = pd.DataFrame(columns).astype(dtypes)
    number = (
        frame["floats"].clip(upper=3.0) + (frame["wholes"] == 2) + frame["flags"] + (frame["words"] == "2")
    )
    return frame, (number > number.median()).to_numpy().astype(int)


def test_numbers_that_are_categories_are_compared_by_their_text():
    frame, label = columns_as_categories()
    for interactions in (0, [(0, 1), (2, 4)]):
        model = ebm(feature_types=["nominal"] * 5, interactions=interactions).fit(frame, label)
        found, rows = assert_conforms(model, frame, nullable={"floats"})
        assert not found.knows_unseen_categories
        beside = rows.assign(wholes=rows["wholes"] * 3, floats=rows["floats"].fillna(0.3) * 2.0)
        values = found.score.evaluate_rows(codebook_of(frame).encode(beside)).value
        np.testing.assert_array_equal(values, model.decision_function(beside))


def test_every_kind_of_column_is_continuous_too():
    frame, label = columns_as_categories(floats="Float64", wholes="Int8")
    model = ebm(feature_types=["continuous"] * 4 + ["nominal"], interactions=2).fit(frame, label)
    assert_conforms(model, frame, nullable={"floats", "wholes"})


def test_the_order_of_columns_and_of_labels_is_the_model_s():
    frame, number = table(missing=0.0)
    model = ebm(interactions=[(1, 2)]).fit(frame, number > np.median(number))
    turned = frame[frame.columns[::-1]].iloc[::-1]
    found, _ = assert_conforms(model, turned, target=True)
    assert found.columns == tuple(frame.columns)


@pytest.mark.filterwarnings("ignore:.*rivacy violation")
def test_private_models_are_parsed_and_unfitted_ones_rejected():
    frame, label = people()
    model = needs("interpret.privacy").DPExplainableBoostingClassifier(
        max_rounds=3,
        n_jobs=1,
        random_state=0,
        privacy_bounds=dict.fromkeys(frame, (0.0, 10000.0)),
    )
    assert_conforms(model.fit(frame, label), frame)
    with pytest.raises(NotFitted, match="ExplainableBoostingClassifier"):
        parse_model(ebm(), reference=frame)


def test_what_is_not_supported_is_a_black_box():
    frame, label = people()
    model = ebm(interactions=0).fit(frame, label)
    model.link_ = "cloglog"
    with pytest.raises(UnsupportedModel, match="for 2 classes with the link 'cloglog'"):
        family.parse(model, request_for(frame, target=1))


def test_a_term_that_does_not_fit_its_bins_is_rejected():
    frame, label = people()
    model = ebm(interactions=0).fit(frame, label)
    model.term_scores_[1] = model.term_scores_[1][:-1]
    with pytest.raises(InvalidModel, match="more or fewer entries than bins"):
        parse_model(model, reference=frame)


def test_a_person_with_an_unseen_label_is_explained_by_the_model_itself():
    frame, number = table(missing=0.0)
    frame = frame[["income", "job", "balance"]]
    model = ebm(interactions=1).fit(frame, (number > np.median(number)).astype(int))
    explainer = p2ce.Explainer(model, frame, target=1, plausibility=None)
    person = frame[model.predict(frame) == 0].iloc[0].copy()
    person["job"] = "astronaut"
    explanation = explainer.explain(person)
    assert explanation.certificate.proven
    assert "black box" in explanation.certificate.model_family
    options = explanation.to_frame()[list(frame.columns)]
    assert (model.predict_proba(options)[:, 1] >= 0.5).all()
