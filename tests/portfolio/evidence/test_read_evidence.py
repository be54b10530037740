"""Whatever an evidence file holds, reading it ends in one line that names the part, and nothing is run."""

import json
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import p2ce
from p2ce import evidence
from p2ce.errors import InvalidArgument, P2CEError
from p2ce.evidence import check
from tests.hostile.mutate import mutate, mutate_archive
from tests.optional import mostly_slow
from tests.populations import loans
from tests.portfolio.evidence.cases import FEW, Case, booster, made
from tests.portfolio.evidence.forging import parts_of, sealed, write_parts


@pytest.fixture(scope="module")
def case() -> Case:
    return booster()


@pytest.fixture(scope="module")
def parts(case: Case, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    path = tmp_path_factory.mktemp("evidence") / "case.zip"
    case.saved(path)
    return parts_of(path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("policy.yaml", b"\xff\xfe", "its part 'policy.yaml' is not text in UTF-8"),
        ("readme.txt", b"\xff\xfe", "its part 'readme.txt' is not text in UTF-8"),
        ("policy.yaml", b"[" * 20_000, "nested too deeply"),
        ("explainer.p2ce", b"PK, but no zip", "case.zip/explainer.p2ce' is damaged"),
        ("explainer.p2ce", b"", "case.zip/explainer.p2ce' is not a p2ce file"),
        ("model/a/b", b"x", "the unexpected part 'model/a/b'"),
        ("more.html", b"x", "the unexpected part 'more.html'"),
        ("signature.json", b"{}", "signature.json expects"),
    ],
)
def test_a_bad_part_is_named(
    name: str, content: bytes, said: str, parts: dict[str, bytes], case: Case, tmp_path: Path
) -> None:
    path = write_parts(tmp_path / "case.zip", sealed({**parts, name: content}))
    with pytest.raises(P2CEError) as caught:
        evidence.replay(path, case.model)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["model/../../x", "/etc/passwd", "..\\x", "C:/x"])
def test_a_listed_name_that_leads_out_of_a_folder_is_rejected(
    name: str, parts: dict[str, bytes], case: Case, tmp_path: Path
) -> None:
    record = json.loads(parts["evidence.json"])
    record["parts"][name] = "0" * 64
    listed = {**parts, "evidence.json": json.dumps(record).encode()}
    for held in (listed, sealed({**parts, name: b"x"})):
        path = write_parts(tmp_path / "case.zip", held)
        with pytest.raises(InvalidArgument, match="is not a valid evidence file"):
            evidence.replay(path, case.model)
    with pytest.raises(InvalidArgument, match="not a valid name of a part"):
        check(path, case.model)


def test_code_that_a_policy_names_is_not_imported_before_it_is_trusted(tmp_path: Path) -> None:
    rule = p2ce.rules.predicate("tests.compile.archive.predicates:modest", name="modest")
    case = made(loans.forest(), loans.people(), loans.PERSON, policy=FEW.with_rules(rule))
    case.saved(tmp_path / "case.zip")
    case.explainer.save(tmp_path / "credit.p2ce")
    case.explainer.policy.save(tmp_path / "policy.yaml")
    sys.modules.pop("tests.compile.archive.predicates")
    for attempt in (
        lambda: evidence.replay(tmp_path / "case.zip", case.model),
        lambda: p2ce.Explainer.load(tmp_path / "credit.p2ce", case.model),
        lambda: p2ce.Policy.load(tmp_path / "policy.yaml"),
    ):
        with pytest.raises(InvalidArgument, match=r"trust_predicates=True, or --trust-predicates") as caught:
            attempt()
        assert "\n" not in str(caught.value)
    assert "tests.compile.archive.predicates" not in sys.modules
    assert evidence.replay(tmp_path / "case.zip", case.model, trust_predicates=True).same


@pytest.mark.parametrize("mutants", mostly_slow([150, 40], 40))
def test_mutants_end_in_one_line(parts: dict[str, bytes], case: Case, tmp_path: Path, mutants: int) -> None:
    """Half of the forgers know the checksums; a third of them change the explainer in the file."""
    path, ends = tmp_path / "case.zip", {"rejected": 0, "compared": 0}
    messages: list[str] = []
    for number in range(mutants):
        rng = Random(number)
        name = rng.choice(
            ["explainer.p2ce", "explanation.json", "evidence.json", "policy.yaml", "readme.txt"]
        )
        content = parts[name]
        changed = mutate_archive(content, rng) if name == "explainer.p2ce" else mutate(content, name, rng)
        held = {**parts, name: changed}
        with suppress(ValueError, AttributeError, TypeError, RecursionError):  # the record itself is none
            held = sealed(held) if rng.random() < 0.9 else held
        write_parts(path, held)
        if rng.random() < 0.1:
            path.write_bytes(mutate(path.read_bytes(), ".bin", rng))
        for attempt in (evidence.replay, check):
            try:
                attempt(path, case.model)
                ends["compared"] += 1
            except P2CEError as error:
                messages.append(str(error))
                ends["rejected"] += 1
    assert not [message for message in messages if "\n" in message]
    assert min(ends.values()) > mutants // 8, ends
