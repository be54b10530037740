"""Load an explainer from the file that `Explainer.save` wrote, and the model."""

import os
from dataclasses import fields, replace
from typing import Any

from p2ce.archive import AS_SAVED, read_saved
from p2ce.errors import InvalidArgument, InvalidReference, InvalidTarget
from p2ce.explainer import Explainer
from p2ce.limits import DEFAULT, Limits
from p2ce.visible import echoed


def load(
    path: "str | os.PathLike[str]",
    model: Any,
    *,
    plausibility: Any = AS_SAVED,
    objectives: Any = AS_SAVED,
    check_model: bool = True,
    limits: Limits = DEFAULT,
) -> Explainer:
    """Give the explainer that was saved, with the same explanations to the byte.

    Reading runs no code that the file brings, and does not trust its contents. A rule that names a
    Python function ("module:function") has that module imported when it is first called, as in a policy file.

    The isolation forest of this library comes back as it was fitted. A SHAP estimate is calibrated again when
    it is first needed, with the saved seed.

    Args:
        path: what `Explainer.save` wrote.
        model: the model, which no file keeps; a list of them where there were several.
        plausibility: the detector again, where it was one of your own; or another one, or None.
        objectives: all objectives again, where one was of your own; or others.
        check_model: False takes another model with the same columns, such as one that was fitted anew;
            otherwise it has to score people of the reference as the saved one did.
        limits: how much of a file is unpacked before it is rejected.

    >>> import tempfile, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> people = pd.DataFrame({"Income": [10, 20, 30, 40], "Debts": [3, 1, 2, 0]})
    >>> model = DecisionTreeClassifier().fit(people, [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Explainer(model, people, plausibility=None).save(f"{folder}/credit.p2ce")
    ...     explainer = load(f"{folder}/credit.p2ce", model)
    >>> explainer.explain({"Income": 20, "Debts": 1})[0].changes
    {'Income': (20, 26)}
    """
    saved = read_saved(path, limits=limits)
    saved.require_models(model)
    saved = saved.with_own(plausibility=plausibility, objectives=objectives)
    arguments = saved.given.arguments
    given = {field.name: getattr(arguments, field.name) for field in fields(arguments)}
    if saved.detector is not None:
        given["plausibility"] = saved.detector
    try:
        explainer = Explainer(model, saved.given.reference, **given)
    except (InvalidReference, InvalidTarget) as error:
        raise InvalidArgument(
            f"This model does not fit what {echoed(saved.path)} was saved for: {error}"
        ) from error
    # Explanations come in the kind of table of the reference, and saving again gives the same file.
    known = explainer._compiled
    problem = known.problem
    assert problem.question is not None
    problem = replace(problem, question=replace(problem.question, settings=arguments.stated()))
    explainer._arguments, explainer._problem = arguments, problem
    explainer._compiled = replace(known, problem=problem, kind=saved.given.kind)
    if check_model:
        saved.require_same_scores(problem, known.values)
    return explainer
