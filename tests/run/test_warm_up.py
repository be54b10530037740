"""After `warm_up` nothing is left to compile: the first hard person waits no longer than the next one."""

import subprocess
import sys

# In a separate process: in this one other tests have compiled everything already.
PROGRAM = """
import gc, warnings
import numpy as np, pandas as pd
from numba.core.dispatcher import Dispatcher
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
import p2ce

rng = np.random.default_rng(0)
frame = pd.DataFrame(rng.normal(size=(300, 6)), columns=list("abcdef"))
good = (frame.sum(axis=1) + frame["a"] * frame["b"] > 2).astype(int)
models = {  # the kernels of a forest are other ones than those with an evaluation queue
    "network": make_pipeline(StandardScaler(), MLPClassifier((20, 20), max_iter=60, random_state=0)),
    "black box": make_pipeline(StandardScaler(), SVC()),
    "forest": RandomForestClassifier(n_estimators=10, random_state=0),
    "ensemble": VotingClassifier(
        [("forest", RandomForestClassifier(n_estimators=10, random_state=0)), ("sum", LogisticRegression())],
        voting="soft",
    ),
}
warnings.simplefilter("ignore")

def compiled():
    found = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]
    return {f"{one.__module__}.{one.__name__}": len(one.signatures) for one in found if one.signatures}

for name, model in models.items():
    model.fit(frame, good)
    explainer = p2ce.Explainer(model, frame, target=1)
    explainer.warm_up()
    before = compiled()
    rejected = frame[model.predict(frame) == 0]
    hardest = rejected.loc[rejected.sum(axis=1).sort_values().index[:10]]
    explainer.explain_many(hardest)
    late = {one: count for one, count in compiled().items() if before.get(one) != count}
    assert before, "no kernel was found at all"
    assert not late, f"{name}: compiled after warm_up: {late}"
"""


def test_nothing_is_compiled_after_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
