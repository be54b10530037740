"""Each model file gives the outputs of the model in memory, and its format is detected by content."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest

import p2ce
from p2ce.apps.model_files.detect_format import detect
from p2ce.apps.model_files.formats import skops_file
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidArgument, InvalidModel, MissingExtra
from p2ce.result import Explanations, Status
from tests.apps.commands import people, repaid, run, write_tables
from tests.apps.onnx_files import logistic

Capture = pytest.CaptureFixture[str]
ASKED = 12


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def require_same(capsys: Capture, path: object, model: Any, frame: pd.DataFrame, *more: object) -> None:
    """Explain some people from files and in memory, and compare."""
    table = frame.astype(dict.fromkeys(frame.select_dtypes("category"), object))
    write_tables(Path.cwd(), table, inputs=ASKED)
    words = (
        "explain",
        "--model",
        path,
        "--data",
        "people.csv",
        "--reference",
        "train.csv",
        "--drop",
        "Repaid",
    )
    ran = run(capsys, *words, "--index-column", "id", "--out", "out.json", *more)
    assert ran.code == 0, ran.err
    found = Explanations.from_dict(json.loads(Path("out.json").read_text(encoding="utf-8")))
    actions = p2ce.ActionSet.infer(frame).protect("Age")
    expected = p2ce.Explainer(model, frame, actions=actions).explain_many(frame.head(ASKED))
    assert [entry.status for entry in found] == [entry.status for entry in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.person_score == pytest.approx(other.person_score, abs=1e-6)
        # As text, since a missing value does not equal itself.
        assert repr([option.changes for option in one]) == repr([option.changes for option in other])
    assert any(len(entry) for entry in found)


def numbers() -> pd.DataFrame:
    return people().drop(columns=["Housing", "Has guarantor"]).fillna(0.0)


def outcome() -> "pd.Series[Any]":
    return repaid(people())


def categories() -> pd.DataFrame:
    return people().astype({"Housing": "category"})


def test_lightgbm_with_another_suffix_and_whole_numbers_as_categories(work: Path, capsys: Capture) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    frame = categories()
    frame["Rate"] = pd.Categorical(frame["Rate"].round().astype(int))
    model = lightgbm.LGBMClassifier(n_estimators=12, num_leaves=6, verbosity=-1, n_jobs=1).fit(
        frame, outcome()
    )
    model.booster_.save_model("model.lgb")
    assert detect("model.lgb") == "LightGBM"
    require_same(capsys, "model.lgb", model.booster_, frame)


@pytest.mark.parametrize("suffix", ["json", "ubj"])
def test_xgboost(work: Path, capsys: Capture, suffix: str) -> None:
    xgboost = pytest.importorskip("xgboost")
    frame = categories()
    model = xgboost.XGBClassifier(n_estimators=12, max_depth=3, enable_categorical=True, n_jobs=1)
    model.fit(frame, outcome()).save_model(f"model.{suffix}")
    assert type(load_model(f"model.{suffix}").model).__name__ == "XGBClassifier"
    require_same(capsys, f"model.{suffix}", model, frame)


def test_an_xgboost_booster(work: Path, capsys: Capture) -> None:
    xgboost = pytest.importorskip("xgboost")
    frame = numbers()
    booster = xgboost.train(
        {"objective": "binary:logistic", "max_depth": 3, "nthread": 1},
        xgboost.DMatrix(frame, outcome()),
        num_boost_round=12,
    )
    booster.save_model("booster.json")
    assert type(load_model("booster.json").model).__name__ == "Booster"
    require_same(capsys, "booster.json", booster, frame)


@pytest.mark.parametrize("form", ["cbm", "json"])
def test_catboost(work: Path, capsys: Capture, form: str) -> None:
    catboost = pytest.importorskip("catboost")
    frame = people().fillna({"Savings": 0.0}) if form == "cbm" else numbers()
    model = catboost.CatBoostClassifier(
        iterations=12, depth=3, one_hot_max_size=5, verbose=0, allow_writing_files=False, thread_count=1
    )
    model.fit(frame, outcome(), cat_features=["Housing"] if form == "cbm" else [])
    model.save_model(f"model.{form}", format=form)
    require_same(capsys, f"model.{form}", model, frame)


def pipeline() -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = people()
    others = [name for name in frame.columns if name != "Housing"]
    columns = make_column_transformer(
        (OneHotEncoder(), ["Housing"]), (make_pipeline(SimpleImputer(), StandardScaler()), others)
    )
    return make_pipeline(columns, LogisticRegression()).fit(frame, outcome())


def test_skops(work: Path, capsys: Capture) -> None:
    skops = pytest.importorskip("skops.io")
    model = pipeline()
    skops.dump(model, "model.skops")
    require_same(capsys, "model.skops", model, people())


class Own:
    """A type that nobody but us knows."""

    def predict(self, rows: Any) -> Any:
        return np.zeros(len(rows))


def test_skops_with_strange_types_is_rejected(work: Path) -> None:
    skops = pytest.importorskip("skops.io")
    skops.dump(Own(), "model.skops")
    with pytest.raises(InvalidModel, match=r"not known to be safe: .*Own.*module:my_factory"):
        load_model("model.skops")


def evil_vectorizer(run: Any) -> Any:
    """Make a pipeline that runs a function on a text of the file's as soon as it is used."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    words = CountVectorizer(vocabulary={"a": 0, "b": 1})
    model = make_pipeline(words, LogisticRegression().fit(np.eye(2), [0, 1]))
    words.set_params(tokenizer=run, lowercase=False, stop_words=["str(open('pwned', 'w').write('x'))"])
    return model


@pytest.mark.parametrize("command", ["explain", "inspect"])
def test_skops_files_run_no_function(work: Path, capsys: Capture, command: str) -> None:
    skops = pytest.importorskip("skops.io")
    people().to_csv("people.csv", index=False)
    skops.dump(evil_vectorizer(eval), "model.skops")
    table = ("--data", "people.csv", "--row", 0) if command == "explain" else ("--reference", "people.csv")
    ran = run(capsys, command, "--model", "model.skops", *table)
    assert ran.code == 2
    assert "not known to be safe: 'builtins.eval'" in ran.line
    assert not Path("pwned").exists()


def test_skops_files_hold_no_functions_of_known_libraries() -> None:
    skops = pytest.importorskip("skops.io")
    lightgbm = pytest.importorskip("lightgbm")
    from scipy.io import loadmat
    from sklearn.datasets import load_svmlight_file

    frame = numbers()
    booster = lightgbm.LGBMClassifier(n_estimators=2, verbosity=-1, n_jobs=1).fit(frame, outcome()).booster_
    for function in (np.load, loadmat, load_svmlight_file, __import__, booster.save_model):
        content = skops.dumps(evil_vectorizer(function))
        with pytest.raises(InvalidModel, match=f"not known to be safe: .*{function.__name__}"):
            skops_file.load(content)


@pytest.mark.parametrize(
    "name", ["forest", "boosting", "histogram", "calibrated", "lightgbm", "xgboost", "catboost"]
)
def test_skops_files_of_the_usual_models_are_read(name: str) -> None:
    skops = pytest.importorskip("skops.io")
    from sklearn import calibration, ensemble, linear_model

    frame = numbers()
    made: dict[str, Callable[[], Any]] = {
        "forest": lambda: ensemble.RandomForestClassifier(3),
        "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=3),
        "histogram": lambda: ensemble.HistGradientBoostingClassifier(max_iter=3),
        "calibrated": lambda: calibration.CalibratedClassifierCV(
            linear_model.LogisticRegression(max_iter=9999)
        ),
        "lightgbm": lambda: pytest.importorskip("lightgbm").LGBMClassifier(n_estimators=3, verbosity=-1),
        "xgboost": lambda: pytest.importorskip("xgboost").XGBClassifier(n_estimators=3),
        "catboost": lambda: pytest.importorskip("catboost").CatBoostClassifier(
            iterations=3, verbose=0, allow_writing_files=False
        ),
    }
    model = made[name]().fit(frame, outcome())
    loaded = skops_file.load(skops_file.parse(skops.dumps(model)))
    assert np.allclose(loaded.predict_proba(frame), model.predict_proba(frame))


def test_an_old_skops_is_rejected(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skops = pytest.importorskip("skops.io")
    skops.dump(pipeline(), "model.skops")
    monkeypatch.setattr("p2ce.apps.model_files.formats.skops_file.version", lambda _: "0.9.0")
    with pytest.raises(MissingExtra, match=r"skops 0\.9\.0 can be made to run code"):
        load_model("model.skops")


@pytest.mark.parametrize(
    "dump", [joblib.dump, lambda model, path: Path(path).write_bytes(pickle.dumps(model))]
)
def test_pickles_of_those_who_are_trusted(
    work: Path, capsys: Capture, dump: Callable[[Any, str], Any]
) -> None:
    model = pipeline()
    dump(model, "model.pkl")
    with pytest.raises(InvalidArgument, match="--trust-pickle"):
        load_model("model.pkl")
    require_same(capsys, "model.pkl", model, people(), "--trust-pickle")


def test_histogram_boosting_on_categories_of_pandas(work: Path, capsys: Capture) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    frame = categories()
    model = HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=6).fit(frame, outcome())
    joblib.dump(model, "model.joblib")
    require_same(capsys, "model.joblib", model, frame, "--trust-pickle")


def test_onnx_as_catboost_writes_it(work: Path, capsys: Capture) -> None:
    """One tensor in, a label and a list of {class: probability} out."""
    pytest.importorskip("onnxruntime")
    catboost = pytest.importorskip("catboost")
    frame = numbers()
    model = catboost.CatBoostClassifier(
        iterations=10, depth=2, verbose=0, allow_writing_files=False, thread_count=1
    ).fit(frame, outcome())
    model.save_model("model.onnx", format="onnx")
    loaded = load_model("model.onnx").model
    assert loaded.classes_.tolist() == [0, 1]
    again = pickle.loads(pickle.dumps(loaded))
    rows = frame.to_numpy(dtype=np.float32)
    assert np.allclose(again.predict_proba(rows), model.predict_proba(frame), atol=1e-5)
    require_same(capsys, "model.onnx", loaded, frame)


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("label", [False, True])
def test_onnx_with_tensors(work: Path, capsys: Capture, by_column: bool, label: bool) -> None:
    """Probabilities as a tensor, from one tensor or an input per column."""
    pytest.importorskip("onnxruntime")
    frame = numbers()
    weights, start = [0.01, 0.002, -0.3, 0.001], -6.0
    columns = list(frame.columns) if by_column else None
    Path("model.onnx").write_bytes(logistic(weights, start, columns=columns, label=label))

    def score(rows: pd.DataFrame) -> Any:
        margin = 2 * (rows[list(frame.columns)].to_numpy(dtype=float) @ np.array(weights) + start)
        return 1 / (1 + np.exp(-margin))

    require_same(capsys, "model.onnx", score, frame)


NETWORK = """
import torch

def make_network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
"""


def test_torch_weights_through_an_entry_point(work: Path, capsys: Capture) -> None:
    torch = pytest.importorskip("torch")
    frame = numbers()
    Path("some_nets.py").write_text(NETWORK, encoding="utf-8")
    torch.manual_seed(3)
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    scale = torch.tensor([0.02, 0.0005, 0.1, 0.0005])
    with torch.no_grad():
        network[0].weight *= scale
        network[2].bias -= network(torch.tensor(frame.to_numpy(dtype="float32"))).median()
    torch.save(network.state_dict(), "weights.pt")
    with pytest.raises(InvalidArgument, match=r"PyTorch weights.*--weights weights\.pt"):
        load_model("weights.pt")
    require_same(capsys, "some_nets:make_network", network.eval(), frame, "--weights", "weights.pt")
    Path("people.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(InvalidModel, match=r"--weights 'people.txt' cannot be loaded as PyTorch"):
        load_model("some_nets:make_network", weights=Path("people.txt"))
    torch.save(torch.nn.Linear(2, 1).state_dict(), "other.pt")
    with pytest.raises(InvalidArgument, match="do not fit the network"):
        load_model("some_nets:make_network", weights=Path("other.pt"))


def test_an_entry_point_may_give_any_model(work: Path, capsys: Capture) -> None:
    joblib.dump(pipeline(), "kept.joblib")
    Path("some_models.py").write_text("import joblib\nmodel = joblib.load('kept.joblib')\n", encoding="utf-8")
    require_same(capsys, "some_models:model", pipeline(), people())
    with pytest.raises(InvalidArgument, match="returned Pipeline"):
        load_model("some_models:model", weights=Path("kept.joblib"))


def test_classes_of_text_are_asked_for(work: Path, capsys: Capture) -> None:
    from sklearn.tree import DecisionTreeClassifier

    frame = numbers()
    model = DecisionTreeClassifier(max_depth=4, random_state=0)
    model.fit(frame, outcome().map({1: "yes", 0: "no"}))
    joblib.dump(model, "model.joblib")
    write_tables(work, frame, inputs=ASKED)
    words = ("explain", "--model", "model.joblib", "--trust-pickle", "--data", "people.csv", "--reference")
    ran = run(capsys, *words, "train.csv")
    assert ran.line == "The model knows the classes no, yes. Say which one is wanted: --target yes"
    assert "Did you mean yes?" in run(capsys, *words, "train.csv", "--target", "yess").line
    assert run(capsys, *words, "train.csv", "--target", "yes", "--out", "out.json").code == 0


def test_a_regressor_has_a_range(work: Path, capsys: Capture) -> None:
    from sklearn.tree import DecisionTreeRegressor

    frame = numbers()
    joblib.dump(DecisionTreeRegressor(max_depth=4).fit(frame, frame["Income"] * 2.0), "model.joblib")
    write_tables(work, frame, inputs=ASKED)
    words = ("explain", "--model", "model.joblib", "--trust-pickle", "--data", "people.csv", "--reference")
    assert run(capsys, *words, "train.csv", "--target", "9000:", "--out", "out.json").code == 0
    found = Explanations.from_dict(json.loads(Path("out.json").read_text(encoding="utf-8")))
    assert found[0].target == (9000.0, None)
    assert Status.OPTIMAL in found.statuses
    assert "Say which range is wanted: --target 1000: or" in run(capsys, *words, "train.csv").line
