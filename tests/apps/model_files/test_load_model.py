"""Each model file gives the outputs of the model in memory, and its format is detected by content."""

import pickle
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, linear_model, tree
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import p2ce
from p2ce.apps.model_files.detect_format import detect
from p2ce.apps.model_files.load_model import load_model
from p2ce.errors import InvalidArgument, InvalidModel
from p2ce.result import Explanations, Status
from tests.apps.command_line import people, repaid, run, write_tables
from tests.apps.onnx_files import logistic
from tests.optional import needs, with_torch

Capture = pytest.CaptureFixture[str]
INPUTS = 6
WORDS = ("explain", "--data", "people.csv", "--reference", "train.csv", "--drop", "Repaid")


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def numbers() -> pd.DataFrame:
    return people().drop(columns=["Housing", "Has guarantor"]).fillna(0.0)


def outcome() -> "pd.Series[Any]":
    return repaid(people())


def labelled() -> pd.DataFrame:
    return people().astype({"Housing": "category"})


def pipeline() -> Any:
    frame = people()
    others = [name for name in frame.columns if name != "Housing"]
    columns = make_column_transformer(
        (OneHotEncoder(), ["Housing"]), (make_pipeline(SimpleImputer(), StandardScaler()), others)
    )
    return make_pipeline(columns, linear_model.LogisticRegression()).fit(frame, outcome())


def catboost(**more: Any) -> Any:
    settings = {"iterations": 12, "depth": 3, "verbose": 0, "allow_writing_files": False, "thread_count": 1}
    return needs("catboost").CatBoostClassifier(**settings, **more)


def xgboost(**more: Any) -> Any:
    return needs("xgboost").XGBClassifier(n_estimators=12, max_depth=3, n_jobs=1, **more)


# A case writes a file; it gives the file's name, the model in memory, its people, and more arguments.
Case = tuple[Any, ...]


def lightgbm_with_whole_numbers_as_categories() -> Case:
    lightgbm = needs("lightgbm")
    frame = labelled()
    frame["Rate"] = pd.Categorical(frame["Rate"].round().astype(int))
    model = lightgbm.LGBMClassifier(n_estimators=12, num_leaves=6, verbosity=-1, n_jobs=1)
    model.fit(frame, outcome()).booster_.save_model("model.lgb")
    assert detect("model.lgb") == "LightGBM"
    return "model.lgb", model.booster_, frame


def xgboost_file(suffix: str) -> Case:
    model = xgboost(enable_categorical=True).fit(labelled(), outcome())
    model.save_model(f"model.{suffix}")
    assert type(load_model(f"model.{suffix}").model).__name__ == "XGBClassifier"
    return f"model.{suffix}", model, labelled()


def xgboost_booster() -> Case:
    library = needs("xgboost")
    settings = {"objective": "binary:logistic", "max_depth": 3, "nthread": 1}
    booster = library.train(settings, library.DMatrix(numbers(), outcome()), num_boost_round=12)
    booster.save_model("booster.json")
    assert type(load_model("booster.json").model).__name__ == "Booster"
    return "booster.json", booster, numbers()


def catboost_with_categories() -> Case:
    frame = people().fillna({"Savings": 0.0})
    model = catboost(one_hot_max_size=5).fit(frame, outcome(), cat_features=["Housing"])
    model.save_model("model.cbm")
    return "model.cbm", model, frame


def catboost_file(form: str) -> Case:
    model = catboost().fit(numbers(), outcome())
    model.save_model(f"model.{form}", format=form)
    if form != "onnx":
        return f"model.{form}", model, numbers()
    # One tensor in, a label and a list of {class: probability} out.
    needs("onnxruntime")
    loaded = load_model("model.onnx").model
    assert loaded.classes_.tolist() == [0, 1]
    again = pickle.loads(pickle.dumps(loaded))
    rows = numbers().to_numpy(dtype=np.float32)
    assert np.allclose(again.predict_proba(rows), model.predict_proba(numbers()), atol=1e-5)
    return "model.onnx", loaded, numbers()


def skops() -> Case:
    model = pipeline()
    needs("skops.io").dump(model, "model.skops")
    return "model.skops", model, people(), "--trust-model"


def pickled() -> Case:
    model = ensemble.HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=6).fit(labelled(), outcome())
    joblib.dump(model, "model.pkl")
    return "model.pkl", model, labelled(), "--trust-model"


def onnx_tensors(by_column: bool, label: bool) -> Case:
    """Write probabilities as a tensor, from one tensor or an input per column."""
    needs("onnxruntime")
    columns = list(numbers().columns)
    weights, start = [0.01, 0.002, -0.3, 0.001], -6.0
    content = logistic(weights, start, columns=columns if by_column else None, label=label)
    Path("model.onnx").write_bytes(content)

    def score(rows: pd.DataFrame) -> Any:
        return 1 / (1 + np.exp(-2 * (rows[columns].to_numpy(dtype=float) @ np.array(weights) + start)))

    return "model.onnx", score, numbers()


NETWORK = "torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))"


def torch_weights() -> Case:
    torch = needs("torch")
    Path("some_nets.py").write_text(
        f"import torch\ndef make_network():\n    return {NETWORK}\n", encoding="utf-8"
    )
    torch.manual_seed(3)
    network = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with torch.no_grad():
        network[0].weight *= torch.tensor([0.02, 0.0005, 0.1, 0.0005])
        network[2].bias -= network(torch.tensor(numbers().to_numpy(dtype="float32"))).median()
    torch.save(network.state_dict(), "weights.pt")
    with pytest.raises(InvalidArgument, match=r"PyTorch weights.*--weights weights\.pt"):
        load_model("weights.pt")
    Path("people.txt").write_text("nothing", encoding="utf-8")
    with pytest.raises(InvalidModel, match=r"--weights 'people.txt' cannot be loaded as PyTorch"):
        load_model("some_nets:make_network", weights=Path("people.txt"))
    torch.save(torch.nn.Linear(2, 1).state_dict(), "other.pt")
    with pytest.raises(InvalidArgument, match="do not fit the network"):
        load_model("some_nets:make_network", weights=Path("other.pt"))
    return "some_nets:make_network", network.eval(), numbers(), "--weights", "weights.pt"


def entry_point() -> Case:
    joblib.dump(pipeline(), "kept.joblib")
    Path("some_models.py").write_text("import joblib\nmodel = joblib.load('kept.joblib')\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match="returned Pipeline"):
        load_model("some_models:model", weights=Path("kept.joblib"))
    return "some_models:model", pipeline(), people()


CASES: dict[str, Callable[[], Case]] = {
    "LightGBM": lightgbm_with_whole_numbers_as_categories,
    "XGBoost JSON": lambda: xgboost_file("json"),
    "XGBoost UBJ": lambda: xgboost_file("ubj"),
    "XGBoost booster": xgboost_booster,
    "CatBoost with categories": catboost_with_categories,
    "CatBoost JSON": lambda: catboost_file("json"),
    "CatBoost ONNX": lambda: catboost_file("onnx"),
    "skops": skops,
    "pickle": pickled,
    "ONNX": lambda: onnx_tensors(by_column=False, label=False),
    "ONNX by column": lambda: onnx_tensors(by_column=True, label=True),
    "PyTorch": torch_weights,
    "entry point": entry_point,
}


@pytest.mark.parametrize("case", with_torch(CASES, "PyTorch"))
def test_a_file_gives_what_the_model_in_memory_gives(capsys: Capture, case: str) -> None:
    path, model, frame, *more = CASES[case]()
    write_tables(
        Path.cwd(), frame.astype(dict.fromkeys(frame.select_dtypes("category"), object)), inputs=INPUTS
    )
    ran = run(capsys, *WORDS, "--model", path, "--id-column", "id", "--out", "out.json", *more)
    assert ran.code == 0, ran.err
    found = Explanations.from_json(Path("out.json").read_text(encoding="utf-8"))
    policy = p2ce.Policy.infer(frame).protect("Age")
    expected = p2ce.Explainer(model, frame, target=1, policy=policy).explain_many(frame.head(INPUTS))
    assert [entry.status for entry in found] == [entry.status for entry in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.person_score == pytest.approx(other.person_score, abs=1e-6)
        # As text, since a missing value does not equal itself.
        assert repr([option.changes for option in one]) == repr([option.changes for option in other])
    assert any(len(entry) for entry in found)


def runs_a_function() -> Any:
    """Make a pipeline that runs a function on a text of the file's as soon as it is used."""
    words = CountVectorizer(vocabulary={"a": 0, "b": 1})
    model = make_pipeline(words, linear_model.LogisticRegression().fit(np.eye(2), [0, 1]))
    words.set_params(tokenizer=eval, lowercase=False, stop_words=["str(open('written', 'w').write('x'))"])
    return model


def calls_a_class() -> Any:
    """Make a pipeline that calls a class, as if it were a function, with the name of a file to open."""
    step = FunctionTransformer(FileIO, kw_args={"mode": "w"})
    return make_pipeline(step, linear_model.LogisticRegression().fit(np.eye(2), [0, 1]))


@pytest.mark.parametrize("model", [pipeline, runs_a_function, calls_a_class])
@pytest.mark.parametrize("suffix", ["skops", "pkl"])
def test_what_runs_code_is_not_loaded_without_trust(
    capsys: Capture, model: Callable[[], Any], suffix: str
) -> None:
    people().to_csv("people.csv", index=False)
    dump = needs("skops.io").dump if suffix == "skops" else joblib.dump
    dump(model(), f"model.{suffix}")
    present = set(Path.cwd().iterdir())
    for words in (("explain", "--data", "people.csv", "--id", 0), ("inspect", "--reference", "people.csv")):
        ran = run(capsys, *words, "--model", f"model.{suffix}")
        assert ran.code == 2
        assert "--trust-model. A safer way is to export the model as ONNX" in ran.line
    assert set(Path.cwd().iterdir()) == present


def test_which_class_or_range_is_wanted_must_be_given(work: Path, capsys: Capture) -> None:
    frame = numbers()
    write_tables(work, frame, inputs=INPUTS)
    words = (*WORDS, "--model", "model.joblib", "--trust-model")
    classifier = tree.DecisionTreeClassifier(max_depth=4, random_state=0)
    joblib.dump(classifier.fit(frame, outcome().map({1: "yes", 0: "no"})), "model.joblib")
    line = run(capsys, *words).line
    assert line.startswith("Say which class is the favourable outcome: --target yes (accepts ")
    assert " or --target no (accepts " in line
    assert "Did you mean yes?" in run(capsys, *words, "--target", "yess").line
    assert run(capsys, *words, "--target", "yes", "--out", "out.json").code == 0
    joblib.dump(tree.DecisionTreeRegressor(max_depth=4).fit(frame, frame["Income"] * 2.0), "model.joblib")
    assert "Pass the wanted range: --target 1000: or" in run(capsys, *words).line
    assert run(capsys, *words, "--target", "9000:", "--out", "range.json").code == 0
    found = Explanations.from_json(Path("range.json").read_text(encoding="utf-8"))
    assert found[0].target == (9000.0, None)
    assert Status.OPTIMAL in found.statuses
