"""Check conventions that ruff does not know: names, words and commands. ``scripts/check`` runs it.

``python scripts/lint.py site`` checks the built documentation instead: it loads nothing from elsewhere.
"""

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "p2ce", ROOT / "tests"
# Files that may share a name, since each is the same thing in another library or language.
VARIANTS = re.compile(
    r"present/charts/(matplotlib|svg)/\w+\.py|models/families/\w+/family\.py|(.*/)?__init__\.py"
)
# Public names that several modules define since they implement one protocol: where, and what the name means.
PROTOCOLS = {
    "recognises": (r"models/(families|detectors)/.*", "whether a parser takes a model or a detector"),
    "parse": (r"models/(families|detectors)/.*", "a model or a detector that was recognised, as its adapter"),
    "prepare": (r"apps/model_files/formats/.*", "imports before the child process gives up opening files"),
    "parse_file": (r"apps/model_files/formats/.*", "untrusted bytes, as the library writes them again"),
    "load_parsed": (r"apps/model_files/formats/.*", "the model of parsed bytes"),
    r"draw_\w+": (r"present/charts/(matplotlib|svg)/draw_\w+\.py", "one chart in either medium"),
}
# Words of a private dialect, and what the field says instead. An underscore ends a word, so that names count.
PRIVATE_WORDS = {
    "asked": "evaluated, called, requested",
    "told": "displayed, reported, given",
    "put to": "evaluated by",
    "strangers?": "unseen categories",
    "hopeless": "infeasible by bound",
    "too dear": "dominated",
    "lanes?": "search state",
    "mail": "evaluation queue",
    "spots?": "candidate value, grid cell",
    "refus(?:e|es|ed|ing|als?)": "reject, rejected",
    "opaque": "black box",
    "whoever": "the instance that",
    "people whom": "people that",
    "foreign scores?": "external evaluator",
    "in the way": "constraints to relax",
}
PRIVATE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(PRIVATE_WORDS)})(?![A-Za-z])", re.IGNORECASE)
# Former names, and what is written instead; docs/renamed.md has the whole table.
OLD_WORDS = {
    "ActionSets?|(?i:action sets?)": "Policy",
    "FeatureActions": "FeaturePolicy",
    "InvalidActions": "InvalidPolicy",
    "(?i:answers)|AnswerSchema": "explanations; results of a portfolio; ResultSchema",
    r"Question|(?<=\.)question|[\"']questions?[\"']": "ProblemRecord, problem",
    "WhyNone|(?i:why_none)": "Relaxations, relaxations",
    "Judgements?": "Evaluation",
    "map_of": "feature_map",
    "ALREADY_FAVOURABLE": "ACCEPTED",
    "index[_-]column": "id_column, --id-column",
    "n_workers|--workers": "n_jobs, --jobs",
    "--person|--row": "--id",
    "explain_partitions": "explain_batches",
    "check_evidence": "evidence.check",
    "check_proposal": "evaluate",
    "at_most_one_of": "at_most_one_nonzero",
    "if_then": "implies",
    "--where": "--rejected, DataFrame.query",
    "p2ce bench": "python -m benchmarks",
    r"p2ce\.IsolationForest": "p2ce.PlausibilityForest",
    r"bound=[\"']none[\"']": "bound=None",
    "ContradictoryConstraints|PolicyError": "InvalidPolicy",
    "UnknownFeature": "InvalidPolicy, InvalidArgument",
    "UnsupportedColumn": "InvalidReference",
    "InvalidPerson": "InvalidRow",
    "InvalidThreshold": "InvalidArgument",
    "UnknownObjective": "InvalidObjective",
    "load_(?:german|taiwan|adult)": "datasets.load",
    r"(?<=applicants\.)(?:features|outcome)": "data, target",
    r"(?<=\w\.)everybody(?!\.html|\.csv)": "all_people",
}
OLD = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(OLD_WORDS)})(?![A-Za-z])")
# Their subjects are the old words themselves, or the results of the paper's experiments.
WITH_OLD_WORDS = re.compile(r"docs/(renamed|results)\.md|tests/scripts/.*")
DASK_KEYWORD = "n_workers"  # of LocalCluster and Client, in the files that start one
# Phrases that read as translated, and plain English instead.
TRANSLATED = {
    r'"""(?:Give|Say|Tell)s?\b': "Return, Build, Check, Load, Raise",
    r"(?<=\w )(?<![Tt]here )is no (?!(?:longer|more|less|one|earlier|later)\b|\w+er than\b)": "is not a",
    r"\bgo(?:es)? on where|\b(?:command|call) (?:then )?goes on": "resumes",
    r"cannot be read exactly|\bmodel as read\b": "cannot be parsed, parsed scores",
    r"\ba (?:applicant|axis|error|estimate|evaluat\w+|explanation|index|instance|objective|option)\b"
    r"|\ban (?:bound|box|candidate|cell|constraint|counterfactual|feature|grid|model|person|row)\b"
    r"|\ban (?:policy|problem)\b|\bthese policy\b|\bRejectMissing missing\b": "what a rename left behind",
    r"\bworth telling\b|\bwhat came out\b|\bends the looking\b": "the fact itself, or its threshold",
    r"(?:\. |: )Left out, ": "By default,",
}
PHRASES = re.compile("|".join(TRANSLATED))
# The same in comments, docstrings and messages. Not yet in the pages.
TRANSLATED_IN_CODE = {
    r"\bof (?:its|your|their|our|one's) own(?=[.,;:)]|$| (?:and|as|for|in|is|that|with)\b)": "own, custom",
    r"\bbeside (?:an?|brute|each|it|the|them)\b": "next to, compared with",
    r"\bfor want of\b": "for lack of",
}
PHRASES_IN_CODE = re.compile("|".join(TRANSLATED_IN_CODE))
WRITTEN = {".py", ".md", ".json", ".toml", ".jinja"}
# P²CE is the paper's algorithm, p2ce the tool: P²CE is named on lines about the paper, and in these files.
OF_THE_PAPER = re.compile(r"paper|authors'|Model-Agnostic", re.IGNORECASE)
ABOUT_THE_PAPER = re.compile(
    r"src/p2ce/paper/.*|docs/(theory/paper|reference/paper|results|changelog|renamed)\.md|reproduction/.*"
)
# The name on the package index is not ours, so that nobody is advised to install what lies there.
FROM_THE_INDEX = re.compile(r"pip install (?:-\S+ )*['\"]?p2ce\b")
COMMAND = re.compile(r"<!-- command: (\w+) -->\n```sh\n(.+)\n```\n<!-- end -->")
# What is not prose in a line of Markdown, and where a sentence ends in what is left.
NOT_PROSE = re.compile(r"`[^`]*`|\]\([^)]*\)|\"[^\"]*\"|“[^”]*”|<[^>]*>")
ABBREVIATION = (
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bAlg)(?<!\bDef)(?<!\bFig)(?<!\bart)(?<!\bal)(?<!\b[A-Z])"
)
SENTENCE_END = re.compile(rf"{ABBREVIATION}[.!?][)*_”]*(?= +[^ .…–=])")
LIST_MARK = re.compile(r"^\s*(?:[-*+]|\d+\.)\s")
CI_SCRIPTS = (".ci/run", ".ci/minimum", ".ci/without-extras", ".ci/nightly")
# Written by a program.
GENERATED = {"docs/results.md"}
SHARED_TESTS = {
    "benchmarks",
    "docs",
    "examples",
    "explainer",
    "hostile",
    "populations",
    "properties",
    "scripts",
}
# Solvers that are bought, and libraries that most users lack.
NEVER_REQUIRED = {"cplex", "docplex", "gurobipy", "ortools", "shap", "tensorflow", "torch", "xgboost"}
# The extras of libraries that p2ce works with, and the oldest version in a requirement.
EXTRAS = ("lightgbm", "xgboost", "catboost", "shap", "plot", "onnx", "skops", "parquet", "sign", "dask")
LOWER_BOUND = re.compile(r"([\w-]+)(?:\[\w+\])?>=([\w.]+)")
# What a browser fetches by itself, unlike a link that a reader has to follow.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b(?![^>]*\brel=["']?canonical)[^>]*\bhref=["']?(?:https?:)?//"""
    r"""|(?:@import\s+|url\()["']?(?:https?:)?//"""
)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def first_lines() -> Iterator[str]:
    """Ruff checks that a docstring is there; this, that it is on line 1 and says something."""
    for path in (*SOURCE.rglob("*.py"), *TESTS.rglob("*.py")):
        if not re.match(r'""".{10}', text_of(path)):
            yield f"{path}:1: line 1 must be a docstring that says what the file does"


def file_names() -> Iterator[str]:
    by_name = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        by_name[path.name].append(path.relative_to(SOURCE).as_posix())
    for paths in by_name.values():
        if len(paths) > 1 and not all(map(VARIANTS.fullmatch, paths)):
            yield f"src/p2ce: name each of these for what it does: {paths}"
    stages = {path.name for path in SOURCE.iterdir()}
    for folder in TESTS.iterdir():
        known = folder.name in stages | SHARED_TESTS or folder.name.startswith(("with_", "_", "."))
        if folder.is_dir() and not known:
            yield f"{folder}: mirrors no folder of src/p2ce"
    if not (SOURCE / "py.typed").exists():
        yield "src/p2ce/py.typed: marks the package as typed"


def one_meaning() -> Iterator[str]:
    """A public class, function or type alias has a name that nothing else in src/p2ce has."""
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for number, name in public_names(text_of(path)):
            places[name].append((path.relative_to(SOURCE).as_posix(), number))
    yield from shared_names(places)


def public_names(text: str) -> Iterator[tuple[int, str]]:
    """List the public classes, functions and type aliases of a module, once each, with their lines.

    >>> list(public_names("class Cost: ...\\ndef _cost(): ...\\nCosts = list[Cost]\\nMOST = 3"))
    [(1, 'Cost'), (3, 'Costs')]
    """
    found: dict[str, int] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(node.name, node.lineno)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and target.id[0].isupper() and not target.id.isupper():
                    found.setdefault(target.id, node.lineno)
    yield from ((number, name) for name, number in found.items() if not name.startswith("_"))


def shared_names(places: Mapping[str, Sequence[tuple[str, int]]]) -> Iterator[str]:
    """Find the names that several modules define, unless they implement one protocol."""
    for name, found in sorted(places.items()):
        where = [pattern for known, (pattern, _) in PROTOCOLS.items() if re.fullmatch(known, name)]
        if len(found) < 2 or all(any(re.fullmatch(pattern, file) for pattern in where) for file, _ in found):
            continue
        listed = " and ".join(f"src/p2ce/{file}:{number}" for file, number in found)
        yield f"{listed}: each defines {name}; rename one, or make it private to its file"


def words() -> Iterator[str]:
    pages = (path for path in (ROOT / "docs").rglob("*.md") if path.name != "renamed.md")
    top = (ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))
    for path in (*SOURCE.rglob("*.py"), *SOURCE.rglob("*.json"), *pages, *top):
        for number, line in enumerate(text_of(path).splitlines(), start=1):
            if match := PRIVATE.search(line):
                yield f"{path}:{number}: {match[0]!r} (see PRIVATE_WORDS) in {line.strip()}"
            if path.suffix == ".py" and "NotImplementedError" in line:
                yield f"{path}:{number}: nothing is left for later"


def written_files() -> Iterator[Path]:
    """List what people read or copy from, and the tests, which show how things are called."""
    for folder in (SOURCE, ROOT / "docs", ROOT / "examples", TESTS):
        yield from (path for path in folder.rglob("*") if path.suffix in WRITTEN)
    yield from (ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "SECURITY"))


def old_words() -> Iterator[str]:
    for path in written_files():
        if not WITH_OLD_WORDS.fullmatch(path.relative_to(ROOT).as_posix()):
            yield from (f"{path}:{found}" for found in old_words_in(text_of(path)))


def phrases_in_code() -> Iterator[str]:
    """Find phrases that read as translated in what developers read."""
    for folder in (SOURCE, TESTS, *(ROOT / name for name in ("benchmarks", "examples"))):
        for path in (one for one in folder.rglob("*") if one.suffix in WRITTEN - {".md"}):
            if not WITH_OLD_WORDS.fullmatch(path.relative_to(ROOT).as_posix()):
                for number, line in enumerate(text_of(path).splitlines(), start=1):
                    if match := PHRASES_IN_CODE.search(line):
                        yield f"{path}:{number}: {match[0]!r} (see TRANSLATED_IN_CODE) in {line.strip()}"


def old_words_in(text: str) -> Iterator[str]:
    """Find old names and translated phrases: the number of each line, the words, and the line.

    >>> list(old_words_in("policy = ActionSet.infer(X)"))
    ["1: 'ActionSet' (see OLD_WORDS) in policy = ActionSet.infer(X)"]
    """
    starts_cluster = "LocalCluster(" in text or "Client(" in text
    for number, line in enumerate(text.splitlines(), start=1):
        for match in OLD.finditer(line):
            if not (match[0] == DASK_KEYWORD and starts_cluster):
                yield f"{number}: {match[0]!r} (see OLD_WORDS) in {line.strip()}"
        if phrase := PHRASES.search(line):
            yield f"{number}: {phrase[0]!r} (see TRANSLATED) in {line.strip()}"


def sentences() -> Iterator[str]:
    """Each sentence of a page has its own line, so that a diff shows what changed."""
    pages = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "reproduction").glob("*.md"))
    for path in pages:
        if path.relative_to(ROOT).as_posix() not in GENERATED:
            for number, line in prose_lines(text_of(path)):
                if len(sentences_of(line)) > 1:
                    yield f"{path}:{number}: one sentence per line: {line.strip()}"


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """List the lines of Markdown that are prose: no code, tables, headings or comments."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif (
            not inside and line.strip() and not line.lstrip().startswith(("|", "#", "<!--", "--8<--", ":::"))
        ):
            yield number, line


def sentences_of(line: str) -> list[str]:
    """Split a line of prose where a sentence ends, but not within code, links or quotations.

    >>> sentences_of("Pass `a. b`, e.g. a frame. It is checked.")
    ['Pass `a. b`, e.g. a frame.', 'It is checked.']
    """
    line = LIST_MARK.sub("", line)
    masked = NOT_PROSE.sub(lambda match: "x" * len(match[0]), line)
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(masked)), len(line)]
    return [line[start:end].strip() for start, end in pairwise(ends)]


def names() -> Iterator[str]:
    """The tool is called p2ce, and is installed from a clone."""
    folders = (
        (ROOT / name).rglob("*") for name in ("src/p2ce", "docs", "benchmarks", "examples", "reproduction")
    )
    top = (
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CITATION.cff",
        "mkdocs.yml",
        "pyproject.toml",
    )
    suffixes = {".py", ".md", ".toml", ".yml", ".yaml", ".jinja", ".cff"}
    paths = [path for folder in folders for path in folder if path.suffix in suffixes]
    for path in (*paths, *(ROOT / name for name in top)):
        about_the_paper = ABOUT_THE_PAPER.fullmatch(path.relative_to(ROOT).as_posix())
        for number, line in enumerate(text_of(path).splitlines(), start=1):
            if "P²CE" in line and not about_the_paper and not OF_THE_PAPER.search(line):
                yield f"{path}:{number}: the tool is p2ce, P²CE is the paper's algorithm: {line.strip()}"
            if FROM_THE_INDEX.search(line):
                yield f"{path}:{number}: p2ce is not ours on the package index: {line.strip()}"


def promised_tests() -> Iterator[str]:
    """Every guarantee of SECURITY.md has a row of tests, and every test that it names exists."""
    page = text_of(ROOT / "SECURITY.md")
    promised = re.findall(r"^(\d+)\. \*\*", page, flags=re.MULTILINE)
    checked = re.findall(r"^\| (\d+) \| `tests/", page, flags=re.MULTILINE)
    if promised != checked:
        yield f"SECURITY.md: guarantees {promised}, and tests of {checked}"
    for path, name in re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", page):
        if not (ROOT / path).exists():
            yield f"SECURITY.md: there is no {path}"
        elif name and f"def {name}(" not in text_of(ROOT / path):
            yield f"SECURITY.md: {path} has no {name}"


def commands() -> Iterator[str]:
    """The README's two commands make their own environment, and CI runs the very one of them."""
    readme = text_of(ROOT / "README.md")
    found = dict(COMMAND.findall(readme))
    if set(found) != {"demo", "test"}:
        yield f"README.md: expected the commands demo and test, got {sorted(found)}"
    first_screen = "\n".join(readme.splitlines()[:60])
    for command in found.values():
        if not command.startswith("python3 -m venv .venv && .venv/bin/pip install"):
            yield f"README.md: {command} does not make its environment"
        if command not in first_screen or ".to_frame()" not in first_screen.partition(command)[0]:
            yield f"README.md: {command} does not stand on the first screen, behind the example"
    run = text_of(ROOT / ".ci" / "run")
    line = re.search(r'^command="\$\((.+)\)"$', run, flags=re.MULTILINE)
    # Runs the line of the script that finds the command, and only that one.
    parsed = subprocess.run(["bash", "-c", line[1] if line else ""], cwd=ROOT, capture_output=True, text=True)
    if parsed.stdout.strip() != found.get("test"):
        yield ".ci/run: has to run the test command of the README"
    first = re.search(r"^bash -euo pipefail -c \"\$command\"$", run, flags=re.MULTILINE)
    if first is None or "-m pytest" in run[: first.start()]:
        yield ".ci/run: the README's test command comes before any other run of pytest"
    for script in (*CI_SCRIPTS, "scripts/check", "scripts/docs", "scripts/test"):
        if not os.access(ROOT / script, os.X_OK) or "set -euo pipefail" not in text_of(ROOT / script):
            yield f"{script}: has to be executable, and to stop at the first failure"


def dependencies() -> Iterator[str]:
    """Few, without upper pins, none that has to be bought (DiCE#422 #454, CARLA#205, kserve#3380)."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    names = {re.split(r"[<>=!~; \[]", line)[0] for line in project["dependencies"]}
    if len(names) > 15 or names & NEVER_REQUIRED:
        yield f"pyproject.toml: too many dependencies, or too heavy: {sorted(names)}"
    for line in project["dependencies"]:
        if "==" in line or "<" in line:
            yield f"pyproject.toml: {line} has an upper pin"


def minimum_versions() -> Iterator[str]:
    """The constraints of the job that tries the oldest versions are those that pyproject.toml states."""
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    # What the README's tests install, and what else p2ce works with.
    lines = [
        *project["dependencies"],
        *(line for name in ("test-all", "test", *EXTRAS) for line in extras[name]),
    ]
    stated = {match[1]: match[2] for line in lines if (match := LOWER_BOUND.match(line))}
    constraints = text_of(ROOT / ".ci" / "minimum.txt")
    tried = dict(re.findall(r"^([\w-]+)==(\S+)$", constraints, flags=re.MULTILINE))
    for name in sorted(stated.keys() | tried.keys()):
        if stated.get(name) != tried.get(name):
            yield f".ci/minimum.txt: {name} is {tried.get(name)}, pyproject.toml states {stated.get(name)}"


def workflows() -> Iterator[str]:
    """A script of CI that no workflow runs is never run there."""
    text = "".join(text_of(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    for script in CI_SCRIPTS:
        if f"bash {script}" not in text:
            yield f".github/workflows: no job runs {script}"


def built_site() -> Iterator[str]:
    pages = [path for suffix in ("html", "css") for path in (ROOT / "site").rglob(f"*.{suffix}")]
    if len(pages) < 20:
        yield f"site: only {len(pages)} pages; build it with scripts/docs"
    for page in pages:
        if match := FETCHED.search(text_of(page)):
            yield f"{page}: loads something from elsewhere: {match[0]}"
        for picture in re.findall(r'<img[^>]*\bsrc="([^":]+\.svg)"', text_of(page)):
            if not (page.parent / picture).exists():
                yield f"{page}: shows {picture}, which is not there"
    command_line = text_of(ROOT / "site" / "reference" / "command-line" / "index.html")
    for word in ("p2ce explain", "--trust-model", "p2ce policy check", "--strict", "p2ce version"):
        if word not in command_line:
            yield f"site/reference/command-line: lacks {word}"
    if "[green]" in command_line:
        yield "site/reference/command-line: shows markup of the terminal"


SOURCES = (
    first_lines,
    file_names,
    one_meaning,
    words,
    old_words,
    phrases_in_code,
    sentences,
    names,
    promised_tests,
    commands,
    dependencies,
    minimum_versions,
    workflows,
)


def main() -> int:
    checks = (built_site,) if sys.argv[1:] == ["site"] else SOURCES
    found = [line.replace(f"{ROOT}/", "") for check in checks for line in check()]
    print("\n".join(found) or "Conventions are kept.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
