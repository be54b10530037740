"""Models are trained as in the paper, reproducibly, in a form that p2ce parses and proves."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import joblib
import numpy as np
import optuna
import pandas as pd
import pytest
import torch

import p2ce
from benchmarks.splits import Parts, split
from reproduction import networks, training
from reproduction.training import ModelKind, Trained, probabilities, train

KINDS = ["logistic", "lightgbm", pytest.param("mlp", marks=pytest.mark.torch), "forest"]
TRIALS = 2
SPEC = networks.NetworkSpec(hidden=(8, 4), learning_rate=0.01, weight_decay=1e-4, batch=32, balanced=True)


@pytest.fixture(scope="module")
def parts() -> Parts:
    rng = np.random.default_rng(0)
    rows = 600
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, rows) * 100,
            "debts": rng.integers(0, 8, rows),
            "owner": rng.integers(0, 2, rows),
            "constant": 0.1,
        }
    )
    good = frame["income"] / 1000 - frame["debts"] + 2 * frame["owner"] + rng.normal(0, 1, rows) > 4
    return split(frame, good.astype(int), kind="paper", seed=0)


@pytest.fixture(scope="module")
def model_of(parts: Parts) -> Callable[[ModelKind], Trained]:
    return cache(lambda kind: train(kind, parts, trials=TRIALS, seed=0, cache=None))


@pytest.mark.parametrize("kind", KINDS)
def test_p2ce_parses_the_model_proves_its_results_and_reports_its_probabilities(
    parts: Parts, model_of: Callable[[ModelKind], Trained], kind: ModelKind
) -> None:
    trained = model_of(kind)
    denied = parts.test[probabilities(trained, parts.test) < 0.5]
    explainer = p2ce.Explainer(trained.model, parts.train, target=1, at_least=0.5)
    for person in range(3):
        explanation = explainer.explain(denied.iloc[[person]])
        assert explanation.certificate is not None
        assert explanation.certificate.proven
        assert explanation.certificate.bound != "complete"  # parsed, no black box
        assert explanation.person_score == pytest.approx(probabilities(trained, denied.iloc[[person]])[0])
        assert len(explanation)
        found = explanation.to_frame()
        assert (probabilities(trained, found) >= 0.5).all()
        np.testing.assert_allclose(found["score"].to_numpy(float), probabilities(trained, found), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_an_easy_problem_is_learned_the_same_way_each_time(
    parts: Parts, model_of: Callable[[ModelKind], Trained], kind: ModelKind
) -> None:
    trained, expected = model_of(kind), probabilities(model_of(kind), parts.test)
    assert min(trained.balanced_accuracy_validation, trained.balanced_accuracy_test) > 0.75
    assert training.balanced_accuracy(parts.test_outcome, expected) == trained.balanced_accuracy_test
    again = train(kind, parts, trials=TRIALS, seed=0, cache=None)
    assert again.parameters == trained.parameters
    # Columns are found by name, and numbers can have any type.
    turned = parts.test[parts.test.columns[::-1]].assign(note="not a feature")
    for model, rows in ((again, parts.test), (trained, turned), (trained, parts.test.astype(float))):
        np.testing.assert_array_equal(probabilities(model, rows), expected)


def test_the_best_trial_is_kept_and_progress_is_reported() -> None:
    said: list[str] = []
    space = training.Space(suggest=lambda trial: {"x": trial.suggest_float("x", 0, 1)}, first={"x": 0.5})
    before = optuna.logging.get_verbosity()
    tried: list[float] = []

    def fit(parameters: dict[str, float]) -> float:
        tried.append(parameters["x"])
        return parameters["x"]

    found = training.search(
        fit, lambda model: 1 - abs(model - 0.3), space=space, trials=6, seed=0, progress=said.append
    )
    assert tried[0] == 0.5  # the common values come first
    assert found.parameters == {"x": found.model}
    assert found.balanced_accuracy == max(1 - abs(x - 0.3) for x in tried)
    assert said[0] == "trial 1 of 6, best 0.80"
    assert said[-1].startswith("trial 6 of 6, best ")
    assert optuna.logging.get_verbosity() == before


def test_what_is_tried_first_lies_in_the_space() -> None:
    for space in training.SPACES.values():
        trial = optuna.trial.FixedTrial(space.first)
        space.suggest(trial)
        assert trial.params == space.first


@pytest.mark.torch
def test_a_stored_model_is_fetched_and_a_damaged_one_is_trained_anew(parts: Parts, tmp_path: Path) -> None:
    said: list[str] = []

    def train_again() -> Trained:
        said.clear()
        return train("mlp", parts, trials=1, seed=0, cache=tmp_path / "new", progress=said.append)

    first = train_again()
    (stored,) = (tmp_path / "new").iterdir()  # no half-written file is left
    fetched = train_again()
    assert not said
    assert (fetched.parameters, fetched.seconds) == (first.parameters, first.seconds)
    np.testing.assert_array_equal(probabilities(fetched, parts.test), probabilities(first, parts.test))
    whole = stored.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], b"not a model"):
        stored.write_bytes(damage)
        assert train_again().parameters == first.parameters
        assert len(said) == 1  # trained, and whole again
    joblib.dump("something else", stored)
    train_again()
    assert len(said) == 1


def test_whatever_changes_the_model_has_a_file_of_its_own(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files(some: Parts = parts, *, kind: ModelKind = "logistic", trials: int = 1, seed: int = 0) -> int:
        train(kind, some, trials=trials, seed=seed, cache=tmp_path)
        return len(list(tmp_path.iterdir()))

    assert files() == 1
    assert files() == 1
    assert files(trials=2) == 2
    assert files(seed=1) == 3
    assert files(kind="forest") == 4
    assert files(kind="forest", trials=2) == 4  # forests are not tuned
    changed = parts.train.copy()
    changed.iloc[0, 0] += 1
    assert files(replace(parts, train=changed)) == 5
    assert files(replace(parts, train_outcome=1 - parts.train_outcome)) == 6
    monkeypatch.setattr(training, "VERSION", training.VERSION + 1)
    assert files() == 7


@pytest.mark.torch
def test_the_scaling_is_folded_into_the_network(parts: Parts) -> None:
    network = networks.fit_network(parts, SPEC, seed=0)
    assert not network.training
    assert {tensor.dtype for tensor in network.state_dict().values()} == {torch.float64}
    assert [type(layer).__name__ for layer in network] == ["Linear", "ReLU", "Linear", "ReLU", "Linear"]
    assert network[-1].out_features == 1
    # Other units, other weights, the same scores: the network takes raw values.
    inflated = replace(
        parts, train=parts.train * [1000, 1, 1, 1], validation=parts.validation * [1000, 1, 1, 1]
    )
    there = networks.fit_network(inflated, SPEC, seed=0)
    np.testing.assert_allclose(
        networks.logits(there, (parts.test * [1000, 1, 1, 1]).to_numpy(float)),
        networks.logits(network, parts.test.to_numpy(float)),
        rtol=1e-3,
        atol=1e-3,
    )


@pytest.mark.torch
def test_training_a_network_leaves_pytorch_as_it_was(parts: Parts) -> None:
    threads, numbers = torch.get_num_threads(), torch.random.get_rng_state()
    first = networks.fit_network(parts, SPEC, seed=0)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), numbers)
    torch.rand(5)  # nor does it look at what came before
    again, other = (networks.fit_network(parts, SPEC, seed=seed) for seed in (0, 1))
    assert torch.equal(first[0].weight, again[0].weight)
    assert not torch.equal(first[0].weight, other[0].weight)


@pytest.mark.torch
def test_weights_move_a_network_towards_the_rare_outcome(parts: Parts) -> None:
    scarce = replace(parts, train_outcome=parts.train_outcome.where(parts.train.index % 4 == 0, 0))
    plain, balanced = (
        networks.fit_network(scarce, replace(SPEC, balanced=each), seed=0) for each in (False, True)
    )
    rows = parts.test.to_numpy(float)
    assert (networks.logits(plain, rows) >= 0).mean() < (networks.logits(balanced, rows) >= 0).mean()


def test_wrong_arguments_are_rejected_with_advice(parts: Parts) -> None:
    one_outcome = replace(parts, validation_outcome=parts.validation_outcome * 0)
    for kind, given, trials, said in (
        ("svm", parts, 1, "logistic, lightgbm, mlp, forest"),
        ("logistic", parts, 0, "at least one trial"),
        ("logistic", one_outcome, 1, "validation part must hold the outcomes 0 and 1"),
    ):
        with pytest.raises(ValueError, match=said):
            train(kind, given, trials=trials, seed=0, cache=None)  # type: ignore[arg-type]
