"""Whatever a file states is compared, or is listed as not compared, or as what only the file says."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from p2ce import evidence
from p2ce.errors import P2CEError
from p2ce.evidence import check
from tests.optional import mostly_slow
from tests.populations import loans
from tests.portfolio.evidence.cases import ACTIONS, CASES, Case, booster, made
from tests.portfolio.evidence.forging import forged, parts_of, sealed, with_readme, write_parts

JSON_PARTS = ("evidence.json", "explanation.json")


def named() -> Case:
    """People read names, units and rounded values."""
    words = {"name": {"en": "income", "pt": "a renda"}, "unit": "EUR", "decimals": 0}
    policy = ACTIONS.display(Income=words, Debt={"name": "debt"}).fix("Rate")
    return made(loans.forest(), loans.people(), loans.PERSON, policy=policy, max_changes=2)


@pytest.fixture(scope="module")
def case() -> Case:
    return named()


@pytest.fixture
def saved(case: Case, tmp_path: Path) -> Path:
    case.saved(tmp_path / "case.zip", id=17)
    return tmp_path / "case.zip"


def slots(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """Return every entry of JSON data: its place, what holds it, and its key there."""
    for key, entry in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield (*place, key), value, key
        if isinstance(entry, dict | list):
            yield from slots(entry, (*place, key))


def other(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return "0" * 64 if len(value) == 64 else f"{value}x"
    if value is None:
        return 3
    return [*value, *(value[:1] or ["x"])] if isinstance(value, list) else {**value, "note": "pay more"}


def is_listed(part: str, place: tuple[Any, ...], names: tuple[str, ...]) -> bool:
    """Return whether a place, or what holds it, is in a list of names; "*" is each of a list or mapping."""
    shown = [name.removeprefix(f"{part}: ") for name in names]
    ways = {""}
    for key in place:
        steps = {str(key), "*", ""} if isinstance(key, int) else {str(key), "*"}
        ways |= {".".join(filter(None, (way, step))) for way in ways for step in steps}
    listed = {f"hash of {key}" for key in place} | {".".join((*map(str, place), "note"))} | ways
    listed |= {"grid (values that the policy does not list)"} if "values" in place else set()
    listed |= {f"{key} of rules" for key in place if "rules" in place}
    return bool(listed & {*shown})


def is_named(part: str, place: tuple[Any, ...], found: Any) -> bool:
    """Whether an outcome names an entry as not compared, or as an input that only the file states."""
    return is_listed(part, place, found.not_compared) or place[0] in found.only_the_file_says


@pytest.mark.parametrize("every", mostly_slow([1, 11], 11))
@pytest.mark.parametrize("make", [named, CASES["ruled"]])
def test_every_entry_is_compared_or_listed(make: Any, every: int, tmp_path: Path) -> None:
    """The forger changes one entry of every shape, and all checksums."""
    case, path = make(), tmp_path / "case.zip"
    case.saved(path, id=17)
    parts, tried = parts_of(path), 0
    columns = {*json.loads(parts["explanation.json"])["columns"]}
    for part in JSON_PARTS:
        data, seen = json.loads(parts[part]), set()
        for place, holder, key in slots(data):
            shape = tuple("*" if isinstance(one, int) or one in columns else one for one in place)
            if (shape, type(holder[key])) in seen or place[0] == "parts":
                continue
            seen.add((shape, type(holder[key])))
            if len(seen) % every:
                continue
            before, holder[key] = holder[key], other(holder[key])
            new = write_parts(tmp_path / "forged.zip", sealed({**parts, part: json.dumps(data).encode()}))
            holder[key], inside = before, (*place, "note") if isinstance(before, dict) else place
            tried += 1
            try:
                replay = evidence.replay(new, case.model)
                assert not replay.same or is_named(part, inside, replay), (part, place)
            except P2CEError:
                pass
            try:
                report = check(new, case.model)
                assert not report.passed or is_named(part, inside, report), (part, place)
            except P2CEError:
                pass
    assert tried > 150 / every - len(JSON_PARTS)


def test_what_is_compared_and_what_is_not_have_nothing_in_common(saved: Path, case: Case) -> None:
    replay = evidence.replay(saved, case.model)
    assert replay.same
    lists = (replay.compared, replay.not_compared, replay.only_the_file_says)
    names = [name for one in lists for name in one]
    assert len({*names}) == len(names)
    assert {"counterfactuals", "problem.features", "problem.policy", "grid", "readme.txt"} <= {*lists[0]}
    assert {"certificate.boxes", "problem.versions", "code"} <= {*lists[1]}
    assert {"the person's id", "the person's row", "policy"} <= {*lists[2]}
    for title in ("compared: status", "not compared: elapsed", "only this file says: the person's id"):
        assert f"\n  {title}" in str(replay)
    report = check(saved, case.model)
    for title in ("not compared in explanation.json", "not compared: readme.txt", "only this file says"):
        assert title in str(report)


def words_of_income(data: dict[str, Any]) -> None:
    data["problem"]["features"]["Income"]["display"]["name"] = "loan amount"


def test_forged_words_are_found(saved: Path, case: Case) -> None:
    """The forger of the review: another display name, another id, all checksums and the readme anew."""
    once = forged(saved, lambda data: data.update(id=18), part="evidence.json")
    id_alone = evidence.replay(once, case.model)
    assert [one.kind for one in id_alone.differences] == ["readme"]
    path = with_readme(forged(once, words_of_income))
    replay = evidence.replay(path, case.model)
    assert [str(one) for one in replay.differences] == [
        "problem: features.Income.display.name was 'loan amount' and is {'en': 'income', 'pt': 'a renda'}."
    ]
    report = check(path, case.model)
    assert [one.what for one in report.checks if one.outcome == "broken"] == ["names"]


@pytest.mark.parametrize(
    ("entry", "value"), [("unit", "BRL"), ("decimals", 2), ("name", {"en": "income", "pt": "o empréstimo"})]
)
def test_units_and_decimals_are_compared(entry: str, value: Any, saved: Path, case: Case) -> None:
    def change(data: dict[str, Any]) -> None:
        data["problem"]["features"]["Income"]["display"][entry] = value

    path = with_readme(forged(saved, change))
    assert f"problem: features.Income.display.{entry}" in str(evidence.replay(path, case.model))
    assert not check(path, case.model).passed


def test_the_readme_is_compared_to_the_letter(saved: Path, case: Case) -> None:
    parts = parts_of(saved)
    for new in (parts["readme.txt"] + b" ", parts["readme.txt"].replace(b"income", b"debt", 1)):
        path = write_parts(saved.with_name("forged.zip"), sealed({**parts, "readme.txt": new}))
        replay = evidence.replay(path, case.model)
        assert [one.kind for one in replay.differences] == ["readme"]


def test_a_comment_in_a_policy_is_found(saved: Path, case: Case) -> None:
    def change(data: dict[str, Any]) -> None:
        data["problem"]["policy"] += "# approved by the regulator\n"

    assert not evidence.replay(with_readme(forged(saved, change)), case.model).same


def consistent_forgery(path: Path) -> Path:
    """Change the name of a feature in every part, the explainer included, and all hashes and texts."""
    import hashlib

    parts = parts_of(path)
    with zipfile.ZipFile(io.BytesIO(parts["explainer.p2ce"])) as archive:
        inner = {name: archive.read(name) for name in archive.namelist()}
    inner["policy.yaml"] = inner["policy.yaml"].replace(b"en: income", b"en: loan amount")
    parts["explainer.p2ce"] = write_parts(path.with_name("inner"), inner).read_bytes()
    parts["policy.yaml"] = parts["policy.yaml"].replace(b"en: income", b"en: loan amount")
    mark = hashlib.sha256(parts["policy.yaml"]).hexdigest()
    data, record = (json.loads(parts[name]) for name in ("explanation.json", "evidence.json"))
    data["problem"]["features"]["Income"]["display"]["name"]["en"] = "loan amount"
    data["problem"].update(policy=parts["policy.yaml"].decode())
    data["problem"]["hashes"]["policy"] = record["hashes"]["policy"] = mark
    parts |= {"explanation.json": json.dumps(data).encode(), "evidence.json": json.dumps(record).encode()}
    return with_readme(write_parts(path.with_name("forged.zip"), sealed(parts)))


def test_a_consistent_forgery_is_found_with_an_explainer_of_the_verifiers_own(
    saved: Path, case: Case, tmp_path: Path
) -> None:
    path, own = consistent_forgery(saved), tmp_path / "own.p2ce"
    alone = evidence.replay(path, case.model)
    assert alone.same, str(alone)
    assert "policy" in alone.only_the_file_says
    case.explainer.save(own)
    replay = evidence.replay(path, case.model, explainer=own)
    assert [str(one) for one in replay.differences] == [
        "explainer: its part 'policy.yaml' differs from your own."
    ]
    assert "policy of this person" in replay.only_the_file_says
    assert "reference population" not in replay.only_the_file_says
    assert "features.Income.display.name.en is 'loan amount' for this person" in str(replay)
    whole = evidence.replay(saved, case.model, explainer=own)
    assert whole.same, str(whole)
    assert whole.only_the_file_says == ("the person's id", "the person's row", "as_of")


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("p2ce.json", lambda head: head["settings"].update(at_least=0.4)),
        ("p2ce.json", lambda head: head["settings"].update(target=0)),
        ("p2ce.json", lambda head: head["settings"]["plausibility"].update(contamination=0.3)),
    ],
)
def test_other_settings_than_the_verifiers_own_are_found(
    part: str, change: Any, saved: Path, case: Case, tmp_path: Path
) -> None:
    parts, own = parts_of(saved), tmp_path / "own.p2ce"
    case.explainer.save(own)
    with zipfile.ZipFile(io.BytesIO(parts["explainer.p2ce"])) as archive:
        inner = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(inner[part])
    change(head)
    inner[part] = json.dumps(head).encode()
    parts["explainer.p2ce"] = write_parts(tmp_path / "inner", inner).read_bytes()
    path = write_parts(tmp_path / "forged.zip", sealed(parts))
    kinds = {one.kind for one in evidence.replay(path, case.model, explainer=own).differences}
    assert kinds == {"explainer"}  # and what is searched is the verifier's own


def test_an_entry_that_stands_twice_is_rejected(saved: Path, case: Case) -> None:
    parts = parts_of(saved)
    twice = parts["explanation.json"].replace(b'"status"', b'"status": "NO_RECOURSE", "status"', 1)
    path = write_parts(saved.with_name("forged.zip"), sealed({**parts, "explanation.json": twice}))
    for attempt in (evidence.replay, check):
        with pytest.raises(P2CEError, match="twice"):
            attempt(path, case.model)


def test_a_hash_of_the_model_that_was_forged_throughout_is_not_called_compared(tmp_path: Path) -> None:
    case, path = booster(), tmp_path / "case.zip"
    case.saved(path)

    def change(data: dict[str, Any]) -> None:
        data.get("problem", data)["hashes"]["model"] = "0" * 64

    replay = evidence.replay(
        with_readme(forged(forged(path, change), change, part="evidence.json")), case.model
    )
    assert "hash of model" in replay.not_compared
    assert "hash of model" not in replay.compared
