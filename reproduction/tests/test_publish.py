"""Published figures come from committed code, or the page says that they do not."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from p2ce.errors import InvalidArgument
from reproduction.publish import DOCS, require_committed
from reproduction.report import results_markdown
from reproduction.report.__main__ import main
from reproduction.report.numbers import text
from reproduction.store import commit_of
from reproduction.tests.made_up import tiny, whole_run


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_tree_with_changes_is_published_only_as_a_draft(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "search.py").write_text("first")
    assert commit_of(tmp_path, "src") == "unknown"
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    clean = commit_of(tmp_path, "src")
    assert git(tmp_path, "rev-parse", "HEAD").startswith(clean)
    (tmp_path / "src" / "search.py").write_text("second")
    changed = commit_of(tmp_path, "src")
    page = DOCS / "results.md"
    require_committed(page, [clean])
    for commits in ([changed], [clean, changed], ["unknown"]):
        with pytest.raises(InvalidArgument, match="must come from committed code") as error:
            require_committed(page, commits)
        assert "\n" not in str(error.value)
        require_committed(tmp_path / "results.md", commits)  # a draft
    with pytest.raises(InvalidArgument):
        require_committed(DOCS / "theory" / ".." / "other.md", [changed])


def test_the_published_page_names_a_commit_that_exists() -> None:
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    (commits,) = re.findall(r"^- Commit: (.+)$", page, flags=re.MULTILINE)
    assert ("with changes" in commits) is ("uncommitted changes" in page)
    assert "uncommitted changes" in text()["uncommitted"]
    if subprocess.run(["git", "rev-parse"], cwd=DOCS, capture_output=True, check=False).returncode:
        pytest.skip("this is not a checkout of git")
    if git(DOCS, "rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("this checkout holds no history")
    for commit in re.findall(r"\b[0-9a-f]{12}\b", commits):
        assert git(DOCS, "cat-file", "-t", commit) == "commit"


def test_a_finished_run_is_written_again_by_the_templates_of_today(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(tmp_path, **whole_run(people=1, data=("adult",)))
    page = tmp_path / "results.md"
    monkeypatch.setattr("reproduction.report.write.draw_figures", lambda results: [])  # takes seconds
    monkeypatch.setattr(sys, "argv", ["report", str(tmp_path), "--markdown", str(page)])
    assert main() == 0
    assert str(tmp_path / "index.html") in capsys.readouterr().out
    assert page.read_text(encoding="utf-8") == results_markdown(tmp_path)
    monkeypatch.setattr(sys, "argv", ["report", str(tmp_path / "nothing")])
    assert main() == 1
    assert "found no such folder" in capsys.readouterr().err
