"""Save the evidence of one person, and repeat its search: ``p2ce evidence``, ``p2ce replay``."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from p2ce.apps.command_inputs import ModelArguments
from p2ce.apps.exit_codes import ExitCode
from p2ce.apps.messages import notice, printable, working
from p2ce.apps.model_files.load_model import LoadedModel
from p2ce.base.files import require_file, require_other, require_place
from p2ce.base.visible import echoed
from p2ce.errors import InvalidArgument

if TYPE_CHECKING:
    from p2ce.portfolio.evidence.read_evidence import OpenedEvidence

PASSPHRASE = "P2CE_KEY_PASSPHRASE"  # the environment variable that holds the passphrase of --sign


def run_evidence(
    folder: Path,
    *,
    id: str,  # noqa: A002
    out: Path,
    given: ModelArguments,
    with_model: bool,
    sign: Path | None,
    force: bool,
) -> None:
    """Save the evidence of one person."""
    from p2ce import evidence
    from p2ce.explainer import Explainer
    from p2ce.portfolio.evidence.evidence_record import EXPLAINER
    from p2ce.portfolio.runs.portfolio_results import PortfolioResults

    file = None if given.model is None or not Path(given.model).is_file() else Path(given.model)
    require_other(out, {"--model": file, "--sign": sign})
    if sign is not None:
        require_file(sign, "--sign")
    require_place(out, force=force)
    if with_model and file is None:
        raise InvalidArgument("--with-model needs the model file. Add --model model.txt")
    results = PortfolioResults(folder)
    kept = require_file(folder / EXPLAINER, "RESULTS")
    explainer: Any = kept
    if given.model is None:
        notice("Without --model, the file has no grid, and p2ce.evidence.check cannot verify the proof.")
    else:
        with working("Loading the model …"):
            explainer = Explainer.load(
                kept,
                given.load(given.model).model,
                trust_predicates=given.trust_predicates,
                limits=given.limits,
            )
    with working("Saving the evidence …"):
        evidence.save(
            results,
            out,
            id=id,
            explainer=explainer,
            model_file=file,
            with_model=with_model,
            sign=sign,
            passphrase=os.environ.get(PASSPHRASE),
        )
    print(f"{printable(out)}: evidence of person {printable(id)}. It holds personal data.")


def run_replay(
    path: Path, *, given: ModelArguments, explainer: Path | None, public_key: Path | None
) -> ExitCode:
    """Repeat the search of an evidence file, print what differs, and return the exit code."""
    from p2ce import evidence
    from p2ce.portfolio.evidence.read_evidence import read_evidence

    for file, option in ((explainer, "--explainer"), (public_key, "--public-key")):
        if file is not None:
            require_file(file, option)
    opened = read_evidence(require_file(path, "EVIDENCE"), limits=given.limits)
    with working("Repeating the search …"):
        loaded = _model(opened, given)
        replay = evidence.replay(
            opened,
            loaded.model,
            explainer=explainer,
            public_key=public_key,
            model_sha256=loaded.sha256,
            trust_predicates=given.trust_predicates,
            limits=given.limits,
        )
    print(printable(replay))
    return ExitCode.DONE if replay.same else ExitCode.INCOMPLETE


def _model(opened: "OpenedEvidence", given: ModelArguments) -> LoadedModel:
    """Load the model of --model, or else the model in the evidence file."""
    if given.model is not None:
        return given.load(given.model)
    if opened.model_file is None:
        raise InvalidArgument(f"{echoed(opened.path)} contains no model. Add --model model.txt")
    name, content = opened.model_file
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        return given.load(str(file))
