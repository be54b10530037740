"""The page is one whole file, says what the run says, and trusts no text; the Markdown says the same."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("benchmarks")  # not in a packed source
pytest.importorskip("matplotlib")

from benchmarks.paper.report import results_markdown, write_report
from benchmarks.paper.report.differences import DIFFERENCES
from benchmarks.paper.report.example import choose_example, example_table
from benchmarks.paper.report.facts import command
from benchmarks.paper.report.other_tables import failures_table
from benchmarks.paper.report.page import SECTIONS
from benchmarks.paper.report.results import read_results
from benchmarks.paper.report.summaries import summarise
from benchmarks.paper.report.tables import further_table, main_table
from tests.benchmarks.paper.made_up_results import frames, write_results
from tests.benchmarks.paper.tiny_results import answer, person, study, tiny

VOID = {"meta", "img", "source", "br", "link"}
HOSTILE = "<script>alert('1')</script>|\"&_x*[a](b)`$\\frac$"


class Reader(HTMLParser):
    """Reads a page strictly: what is opened is closed, and every address is collected."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.ids: set[str] = set()
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "srcset"):
                self.addresses.append(value or "")
            if name == "id":
                self.ids.add(value or "")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = {name: frame[frame["data"] == "adult"] for name, frame in frames(people=5).items()}
    kept["missing"] = frames(people=1)["missing"]
    folder = write_results(tmp_path_factory.mktemp("report"), kept)
    (folder / "figures").mkdir()
    (folder / "figures" / "toy.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "results" / "toy.json").write_text(json.dumps({"caption": "Told <by> the run."}))
    assert write_report(folder) == folder / "index.html"
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Reader:
    return Reader((folder / "index.html").read_text("utf-8"))


def test_the_page_is_one_file_without_a_network(folder: Path, page: Reader) -> None:
    for address in page.addresses:
        assert address.startswith(("#", "data:image/", "results/", "figures/")), address[:80]
        if address.startswith(("results/", "figures/")):
            assert (folder / address).exists()
        if address.startswith("#"):
            assert address[1:] in page.ids
    assert not page.tags & {"script", "link", "iframe"}
    assert "http" not in re.sub(r"data:image/[^\"]+", "", (folder / "index.html").read_text("utf-8"))


def test_the_page_has_every_section_and_the_run(page: Reader) -> None:
    assert set(SECTIONS) <= page.ids
    for shown in (
        "2026-11-01",
        "0123abc",
        "Made-up CPU, 2 cores",
        "needs Python ≥ 3.12",
        "Told <by> the run.",
        "python -m benchmarks.paper --data adult",
        "Left out: the data sets German Credit and Taiwan, by --data.",
        "Costs are divided by the worst on the grid",
    ):
        assert shown in page.text
    assert all(each.topic in page.text for each in DIFFERENCES)
    assert "paper 0.171 ± 0.107" in page.text
    assert "github.com/hiaac-finance/p2ce at 67fd848" in page.text


def test_summaries_are_written_beside_the_results(folder: Path) -> None:
    summary = pd.read_csv(folder / "results" / "summary.csv")
    assert len(summary) == len(json.loads((folder / "results" / "summary.json").read_text("utf-8")))


def test_the_markdown_has_the_same_tables_and_is_well_formed(folder: Path) -> None:
    text = results_markdown(folder)
    assert all(shown in text for shown in ("2026-11-01", "0123abc", "Made-up CPU, 2 cores"))
    assert "(paper 0.171 ± 0.107)" in text
    assert "Left out: the data sets German Credit and Taiwan, by --data." in text
    check_tables(text)


def check_tables(text: str) -> None:
    """Each block of pipes has a head, a rule, and equally many cells in every line."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    assert blocks
    for block in blocks:
        lines = block.strip().splitlines()
        counts = {len(re.split(r"(?<!\\)\|", line)) for line in lines}
        assert len(counts) == 1, block
        assert set(lines[1]) <= set("|:- ")


def test_no_text_of_a_run_becomes_markup(tmp_path: Path) -> None:
    cell = {"experiment": "three", "data": HOSTILE, "model": HOSTILE, "method": HOSTILE}
    values = json.dumps({HOSTILE: 1, "other": 2})
    tiny(
        tmp_path,
        [person(0, **{**cell, "status": HOSTILE, "error": HOSTILE, "values": values})],
        [answer(0, **{**cell, "broken": HOSTILE, "allowed": False, "values": json.dumps({HOSTILE: 3})})],
        missing=[{**cell, "seed": 0, "reason": HOSTILE}],
        studies=[study(HOSTILE, "mlp", 1, parameters=HOSTILE)],
        run={
            "command": HOSTILE,
            "left_out": [HOSTILE],
            "date": HOSTILE,
            "machine": HOSTILE,
            "versions": {HOSTILE: HOSTILE},
            "reference_point": HOSTILE,
        },
    )
    written = write_report(tmp_path).read_text("utf-8")
    page = Reader(written)
    assert "script" not in page.tags
    assert "<script" not in written
    assert "alert('1')" in page.text
    text = results_markdown(tmp_path)
    assert "<script" not in text
    check_tables(text)


def test_a_run_that_wrote_nothing_has_a_page(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "people.csv").write_text("")
    page = Reader(write_report(tmp_path).read_text("utf-8"))
    assert "not testable" in page.text
    assert "not measured" in page.text
    check_tables(results_markdown(tmp_path))


@pytest.mark.parametrize("name", ["people", "answers", "studies", "missing"])
def test_a_missing_column_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    made = frames(people=1)
    for column in made[name].columns:
        write_results(tmp_path, {**made, name: made[name].drop(columns=column)})
        with pytest.raises(ValueError, match=f"column '{column}' in {name}.csv"):
            read_results(tmp_path)


def test_nothing_left_out_and_nothing_failed_is_said(tmp_path: Path) -> None:
    tiny(tmp_path, [person(0)], [answer(0)], run={})
    page = Reader(write_report(tmp_path).read_text("utf-8"))
    assert "Every row was run." in page.text
    assert "What peers said" not in page.text


def test_what_peers_said_instead_of_an_answer_is_counted(tmp_path: Path) -> None:
    failed = {"best_cost": None, "answers": 0, "status": "NOTHING"}
    people = [person(number, method="dice-random", error="None found.", **failed) for number in range(2)]
    people += [person(0, method="nice", error="x" * 999, **failed), person(0, error="of ours", **failed)]
    results = tiny(tmp_path, people)
    (group,) = failures_table(results).groups
    shown = [[cell.text for cell in row] for row in group.rows]
    assert shown[0] == ["DiCE (random)", "None found.", "2"]
    assert (shown[1][0], len(shown[1][1]), len(shown)) == ("NICE", 300, 2)
    write_report(tmp_path)
    assert "None found." in (tmp_path / "index.html").read_text("utf-8")
    assert "None found." in results_markdown(tmp_path)


def test_times_calls_and_cells_are_columns(tmp_path: Path) -> None:
    people = [person(number, seconds=0.001, seconds_alone=0.002 + number / 1000) for number in range(3)]
    people += [person(0, method="nice", seconds=0.004, seconds_alone=None)]
    results = tiny(tmp_path, people)
    table = main_table(results, summarise(results), "one")
    proven, nice = (
        {name: cell.text for name, cell in zip(table.columns, row, strict=True)}
        for row in table.groups[0].rows
    )
    assert (proven["Time"], proven["Time, mean"], nice["Time"]) == ("3.00 ms", "3.00 ms", "4.00 ms")
    assert (proven["Model calls"], proven["Cells evaluated"], proven["SHAP explanations"]) == (
        "1.0",
        "20",
        "0",
    )
    assert (proven["True fronts [95 %]"], proven["People answered"]) == ("3/3 [44–100]", "0/3")
    further = further_table(results, summarise(results), "one")
    assert further.groups[0].rows[0][further.columns.index("In a batch")].text == "1.00 ms"


def test_hypervolumes_stand_beside_the_papers_and_by_the_grid(tmp_path: Path) -> None:
    people = [person(0, experiment="three", method="p2ce", hypervolume=0.5, hypervolume_grid=0.3)]
    results = tiny(tmp_path, people)
    table = main_table(results, summarise(results), "three")
    row = dict(zip(table.columns, table.groups[0].rows[0], strict=True))
    assert (row["Hypervolume"].text, row["Hypervolume"].beside) == ("0.500", "paper 0.52 ± 0.12")
    assert (row["By the grid"].text, row["By the grid"].beside) == ("0.300", "")


def test_a_folder_without_results_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"benchmarks\.paper --quick"):
        write_report(tmp_path)


def test_gaps_everywhere_are_coped_with(tmp_path: Path) -> None:
    made = frames(people=4)
    for name in ("people", "answers"):
        frame = made[name].reset_index(drop=True)
        for place, column in enumerate(frame.columns[5:]):
            frame[column] = frame[column].astype(object)
            frame.loc[frame.index % 7 == place % 7, column] = None
        made[name] = frame[(frame["data"] == "german") & frame["experiment"].isin(["one", "three"])]
    Reader(write_report(write_results(tmp_path, made, {})).read_text("utf-8"))
    check_tables(results_markdown(tmp_path))


def test_a_quick_run_says_that_it_proves_nothing(tmp_path: Path) -> None:
    results = tiny(tmp_path, run={"quick": True, "settings": {"people": 5, "split": "code", "rows": 6000}})
    page = Reader(write_report(tmp_path).read_text("utf-8"))
    assert "prove nothing" in page.text
    assert command(results.run) == "python -m benchmarks.paper --quick --split code"
    assert (
        command({**results.run, "command": "python -m benchmarks.paper -x"})
        == "python -m benchmarks.paper -x"
    )
    assert "This run took the other, by --split code." in page.text


def test_the_example_is_the_first_person_whom_most_methods_answered(tmp_path: Path) -> None:
    cell = {"experiment": "three", "data": "adult", "model": "mlp"}
    others = {"experiment": "three", "data": "german", "model": "mlp"}
    answers = [answer(0, **cell)]
    answers += [
        answer(
            number, **cell, method=method, plausible=method == "proven"
        )  # u(x) is the method's own detector
        for number in (1, 2)
        for method in ("proven", "mapocam")
    ]
    answers += [answer(0, **others, method=method) for method in ("proven", "mapocam", "nice")]
    example = choose_example(tiny(tmp_path, [person(n, **cell) for n in range(3)], answers))
    assert example is not None
    assert (example.data, example.row, len(example.answers)) == ("adult", "101", 2)
    assert example.changed == ("loan",)  # age is as it was
    table = example_table(example)
    assert table.columns == ("Answer", "loan", "u(x)", "f(x)", "Judge")
    assert [group.title for group in table.groups] == ["The person", "MAPOCAM", "P²CE, proven"]
    assert [cell.text for cell in table.groups[0].rows[0]] == ["–", "4", "–", "0.30", "–"]
    assert [cell.text for cell in table.groups[1].rows[0]] == ["1", "2.5", "1", "0.52", "0"]


def test_without_the_persons_own_values_only_what_differs_is_shown(tmp_path: Path) -> None:
    cell = {"experiment": "three", "data": "adult", "model": "mlp"}
    answers = [
        answer(0, **cell),
        answer(0, **cell, answer=1) | {"values": json.dumps({"age": 30, "loan": 1})},
    ]
    example = choose_example(tiny(tmp_path, [person(0, **cell, values="", score=None)], answers))
    assert example is not None
    assert example.changed == ("loan",)
    assert example_table(example).groups[0].rows[0][-2].text == "–"


def test_results_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    made = frames(people=2)
    results = read_results(write_results(tmp_path, made))
    assert len(results.people) == len(made["people"])
    assert results.answers["valid"].tolist() == made["answers"]["valid"].astype(float).tolist()
    peers = results.people[results.people["method"] == "nice"]
    assert peers["front_is_true"].isna().all()
