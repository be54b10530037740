"""Read the untrusted file of an explainer: nothing in it is run, and everything is checked."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from p2ce.base.arrays import FloatArray
from p2ce.base.limits import DEFAULT, Limits
from p2ce.base.visible import echoed
from p2ce.base.zip_parts import Damaged, Parts
from p2ce.compile.archive.saved_arguments import SavedArguments
from p2ce.compile.archive.stored_arrays import ENDING, read_array
from p2ce.compile.archive.stored_forest import read_forest
from p2ce.compile.archive.stored_settings import read_settings
from p2ce.compile.archive.stored_table import restore_table
from p2ce.compile.archive.stored_values import take
from p2ce.compile.archive.write_archive import FORMAT, HEAD, NUMBER, POLICY, SCORES, TABLE
from p2ce.compile.arguments import UNCHANGED
from p2ce.compile.compiled_problem import ParsedProblem
from p2ce.compile.fingerprint import model_scores, same_scores
from p2ce.errors import InvalidArgument, LimitExceeded, MissingExtra
from p2ce.models.decisions.adapter import Adapter
from p2ce.models.detectors.plausibility_forest import PlausibilityForest
from p2ce.policy.rules.predicate import require_trusted

ZIP_START = b"PK"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedExplainer:
    """The content of an explainer's file."""

    path: str
    given: SavedArguments
    own: dict[str, str]  # argument → a custom object that the user must pass again
    detector: Adapter | None  # already fitted; None if there is none, or if the user must pass it
    scores: FloatArray  # (models, rows) the model's scores when it was saved

    def with_own(self, *, plausibility: Any, objectives: Any, report: Any = UNCHANGED) -> "SavedExplainer":
        """Replace arguments with those that the user passes again; raise if one is missing."""
        replaced = {
            name: value
            for name, value in (
                ("plausibility", plausibility),
                ("objectives", objectives),
                ("report", report),
            )
            if value is not UNCHANGED
        }
        for name, what in self.own.items():
            if name not in replaced:
                raise InvalidArgument(
                    f"{echoed(self.path)} was saved with custom {name}: {what[:300]}. A file cannot store "
                    f"that safely. Pass it again: p2ce.Explainer.load(path, model, {name}=…)."
                )
        if "plausibility" in replaced and plausibility is None:  # and so there is no threshold to set
            replaced["contamination"] = None
        given = replace(self.given, arguments=replace(self.given.arguments, **replaced))
        return replace(self, given=given, detector=None if "plausibility" in replaced else self.detector)

    def require_trusted(self, *, trust_predicates: bool) -> None:
        """Reject a policy that runs its author's code, unless the user trusts it."""
        policy = self.given.arguments.policy
        assert policy is not None, "a saved explainer has a policy"
        what = f"The policy in {echoed(self.path)}"
        require_trusted((*policy.rules, *policy.proposed_rules), what, trusted=trust_predicates)

    def require_models(self, model: Any) -> None:
        """Reject one model instead of several, and several instead of one."""
        several = len(model) if isinstance(model, list | tuple) else None
        if several != self.given.models:
            expected = "one model" if self.given.models is None else f"a list of {self.given.models} models"
            got = "one model" if several is None else f"a list of {several}"
            raise InvalidArgument(
                f"{echoed(self.path)} was saved with {expected}; got {got}. Pass the same again."
            )

    def other_scores(self, problem: ParsedProblem, rows: FloatArray) -> "OtherScores | None":
        """Compare a model's scores for people of the reference with the saved ones; None if equal."""
        scores = model_scores(problem, rows)
        if same_scores(self.scores, scores, allowed=problem.score_tolerance):
            return None
        if scores.shape != self.scores.shape:
            raise InvalidArgument(
                f"{echoed(self.path)} is damaged: it has scores for other people. Save it again."
            )
        apart = np.abs(scores - self.scores)
        different = int((apart > 1e-6).any(axis=0).sum())
        return OtherScores(scores.shape[1], different, float(np.nanmax(apart)))

    def require_same_scores(self, problem: ParsedProblem, rows: FloatArray) -> None:
        """Reject a model whose scores for people of the reference differ from the saved ones."""
        other = self.other_scores(problem, rows)
        if other is not None:
            raise InvalidArgument(
                f"This is not the model that {echoed(self.path)} was saved with: it scores "
                f"{other.different} of {other.people} people differently, by up to "
                f"{other.largest:.3g}. Pass that model, or check_model=False to use this one."
            )


class OtherScores(NamedTuple):
    """How far a model differs from the saved one."""

    people: int  # of the reference whose scores were compared
    different: int  # of these
    largest: float  # difference of a score


def read_saved(
    path: "str | os.PathLike[str]", *, content: bytes | None = None, limits: Limits = DEFAULT
) -> SavedExplainer:
    """Read a file that `save` wrote. An error is one line that says what is wrong.

    Pass ``content`` if the file is a part of another one. The path is then only a name.
    """
    shown = os.fsdecode(path)
    try:
        return _read(shown, content, limits)
    except (MissingExtra, NotSupported):
        raise
    except LimitExceeded as error:
        raise LimitExceeded(f"{echoed(shown)} is damaged, or too large. {error}") from error
    except FileNotFoundError as error:
        raise InvalidArgument(f"The file {echoed(shown)} does not exist. Check the path.") from error
    except OSError as error:
        raise InvalidArgument(f"Cannot read {echoed(shown)}: {error.strerror or error}.") from error
    except Exception as error:  # for any content of a file, the error is one line
        why = str(error) if isinstance(error, Damaged) else f"{type(error).__name__}: {error}"
        raise InvalidArgument(
            f"{echoed(shown)} is damaged: {' '.join(why.split())[:300]}. Save the explainer again."
        ) from error


class NotSupported(InvalidArgument):
    """A file that is intact, but that this version cannot read."""


def _read(path: str, content: bytes | None, limits: Limits) -> SavedExplainer:
    if content is None:
        with open(path, "rb") as file:
            start = file.read(len(ZIP_START))
    else:
        start = content[: len(ZIP_START)]
    if start != ZIP_START:
        raise NotSupported(
            f"{echoed(path)} is not a p2ce file: it is not a zip archive. Pass what Explainer.save() wrote."
        )
    with Parts(path if content is None else content, limits) as parts:
        if HEAD not in parts:
            raise NotSupported(
                f"{echoed(path)} is not a p2ce file: it is a zip archive without {echoed(HEAD)}."
            )
        head = json.loads(parts.take(HEAD))
        _check_format(head, path)
        frame, kind = restore_table(json.loads(parts.take(TABLE)), _arrays(parts, "reference"))
        text = parts.take(POLICY).decode("utf-8")
        settings = take(head, "settings", dict)
        given, own = read_settings(settings, text=text, reference=frame, kind=kind, limits=limits)
        detector = None
        if isinstance(given.arguments.plausibility, PlausibilityForest):
            detector = read_forest(take(head, "forest", dict), _arrays(parts, "forest"))
        scores = read_array(parts.take(SCORES), kinds="f")
        parts.require_empty()
    count = take(take(head, "model", dict), "scores", int)
    if count < 1 or len(scores) % count or count != (given.models or 1):
        raise Damaged("the number of scores does not fit the number of models")
    return SavedExplainer(
        path=path, given=given, own=own, detector=detector, scores=scores.reshape(count, -1)
    )


def _arrays(parts: Parts, folder: str) -> "Callable[[str], npt.NDArray[Any]]":
    return lambda name: read_array(parts.take(f"{folder}/{name}{ENDING}"))


def _check_format(head: Any, path: str) -> None:
    name, _, number = take(head, "format", str).partition("/")
    if name != FORMAT or not number.isdecimal():
        raise NotSupported(
            f"{echoed(path)} is not a p2ce file: its format is {echoed(head['format'], most=60)}."
        )
    if int(number) == NUMBER:
        return
    versions = head.get("versions")
    by = versions.get("p2ce") if isinstance(versions, dict) else None
    written = f" (p2ce {by:.20})" if isinstance(by, str) else ""
    if int(number) > NUMBER:
        raise NotSupported(
            f"{echoed(path)} was written by a newer version{written}. Install that version, or save it "
            "again with this one."
        )
    raise NotSupported(
        f"{echoed(path)} was written by an older version{written}, in a format that is no longer supported. "
        "Load it with that version, or build the explainer again."
    )
