"""A hundred mistakes: what the API server says of each, what other checkers say, and what dradsl says.

    python -m benchmarks.mistakes           # writes the table in docs/mistakes.md from what is recorded
    python -m benchmarks.mistakes record    # asks the code of the API server (tests/oracle) and the other checkers again

Nobody picked them one by one: all kinds of mistakes that `tests/planted` makes, the files of `examples/broken`, and the first
bad example of rules, evenly over all rules, as far as the oracle can be asked about it: objects of resource.k8s.io and pods, with
the release's own gates.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import yaml

from benchmarks.peers import checkers
from dradsl.lint.pages.documents import all_documents
from maintenance.rule_examples import examples_of
from tests.lint.test_rule_examples import write
from tests.oracle import client
from tests.planted.mistakes import MISTAKES, plant
from tests.planted.sites import Site, template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.peers import Tool
    from maintenance.rule_examples import Example

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "benchmarks" / "mistakes.json"
PAGE = ROOT / "docs" / "mistakes.md"
RELEASE = "1.37"
COUNT = 100
_START, _END = "<!-- mistakes -->", "<!-- end -->"
_DRIVER = "gpu.nvidia.com"
_OPTIONS = {"kube-version"}
POD = """\
---
apiVersion: v1
kind: Pod
metadata:
  name: worker
spec:
  containers:
    - name: main
      image: registry.example.com/worker:1
      resources:
        claims:
          - name: device
            request: accelerator
  resourceClaims:
    - name: device
      resourceClaimTemplateName: planted-accelerator
"""


@dataclass(frozen=True)
class Mistake:
    """One file with one mistake; `said` are the codes of the rule, or the lines where the mistake is."""

    name: str
    title: str
    text: str
    codes: frozenset[str] = frozenset()
    lines: frozenset[int] = frozenset()
    example: Example | None = field(default=None, compare=False)

    @property
    def digest(self) -> str:
        """The checksum of the text, by which recorded answers belong to it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def correct() -> str:
    """The correct text in which mistakes are planted."""
    return template("planted-accelerator", _DRIVER) + POD


def planted() -> Iterator[Mistake]:
    """Each kind of planted mistake once."""
    text = correct()
    site = Site(
        "manifest",
        {"claim.yaml": text},
        {"claim.yaml": (1, text.count("\n"))},
        frozenset({"claim.yaml"}),
    )
    for mistake in MISTAKES:
        for made in plant(site, mistake, Random(mistake.what)):
            lines = frozenset(line for _, line in made.lines)
            yield Mistake(f"planted: {mistake.what}", mistake.what, made.text, lines=lines)
            break


def broken() -> Iterator[Mistake]:
    """The files of examples/broken, by the table of their page."""
    folder = ROOT / "examples" / "broken"
    rows = re.findall(
        r"^\| (\S+\.yaml) \| (.*?) \| (DRA\d+) \|$",
        (folder / "README.md").read_text(),
        re.MULTILINE,
    )
    for name, title, code in rows:
        text = (folder / name).read_text(encoding="utf-8")
        yield Mistake(f"examples/broken/{name}", title, text, frozenset({code}))


def of_rules() -> Iterator[Mistake]:
    """The first bad example of each rule that an API server can be asked about."""
    for document in all_documents():
        for example in examples_of(document):
            if example.kind == "bad" and _can_be_asked(example):
                title = document.title.replace("`", "")
                codes = frozenset({document.code})
                name = f"rules/{document.code}"
                yield Mistake(name, title, example.source, codes, example=example)
                break


def _can_be_asked(example: Example) -> bool:
    roles = {each.role for each in example.attachments}
    if not example.file_name.endswith(".yaml") or {"before", "config"} & roles:
        return False
    release = example.options.get("kube-version", RELEASE)
    if {*example.options} - _OPTIONS or not release.endswith(RELEASE):
        return False
    return bool(objects(example.source))


def objects(text: str) -> list[tuple[dict[str, Any], str]]:
    """The objects of a file with their texts; none if something in it is no object that the oracle knows."""
    found = []
    for part in re.split(r"^---.*\n", text, flags=re.MULTILINE):
        try:
            read = yaml.safe_load(part)
        except yaml.YAMLError:
            return []
        if read is None:
            continue
        if not isinstance(read, dict):
            return []
        version, kind = str(read.get("apiVersion")), str(read.get("kind"))
        if not version.startswith("resource.k8s.io/") and (version, kind) != ("v1", "Pod"):
            return []
        found.append((read, part))
    return found


def chosen() -> list[Mistake]:
    """The hundred."""
    first = [*planted(), *broken()]
    rules = list(of_rules())
    wanted = COUNT - len(first)
    return [*first, *(rules[number * len(rules) // wanted] for number in range(wanted))]


def found(mistake: Mistake) -> list[dict[str, Any]]:
    """What `dradsl lint` reports of a mistake: its rule, or at its lines; of another place or rule nothing counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if mistake.example is not None:
            words = write(folder, mistake.example)
        else:
            (folder / "claim.yaml").write_text(mistake.text, encoding="utf-8")
            words = ["--isolated", "claim.yaml"]
        call = [sys.executable, "-m", "dradsl", "lint", "--output-format", "json", *words]
        environment_free = {"cwd": folder, "capture_output": True, "text": True}
        done = subprocess.run(call, check=False, **environment_free)  # type: ignore[call-overload]
    said = json.loads(done.stdout)["findings"]
    return [one for one in said if one["code"] in mistake.codes or one["line"] in mistake.lines]


def server_says(text: str) -> dict[str, str]:
    """What the code of the API server says of the objects of a file: of the first that it rejects, else that it accepts them."""
    warnings: list[str] = []
    for obj, written in objects(text):
        subject = "pod" if obj.get("kind") == "Pod" else "validate"
        ((answer,),) = client.ask(subject, RELEASE, [{"id": 0, "yaml": written, "default": True}])
        if "error" in answer:
            raise SystemExit(f"the oracle cannot answer: {answer['error']}")
        wrong = [answer["decodeError"]] if answer.get("decodeError") else []
        wrong += answer.get("strictErrors") or []
        wrong += [
            f"{each['field']}: {each['type']}: {each['detail']}"
            for each in answer.get("errors") or ()
        ]
        if wrong:
            return {"way": "rejects", "message": wrong[0]}
        warnings += answer.get("warnings") or []
    return {"way": "warns" if warnings else "accepts", "message": "".join(warnings[:1])}


def record() -> None:
    """Ask the oracle and the other checkers, and keep the answers."""
    hundred = chosen()
    if server_says(correct())["way"] != "accepts":
        raise SystemExit("the correct text is not accepted")
    answers: dict[str, Any] = {
        each.name: {"text": each.digest, "server": server_says(each.text)} for each in hundred
    }
    versions = {"API server": client.versions(RELEASE)["k8s.io/kubernetes"]}
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "claim.yaml")
        for tool in checkers(Path(name), RELEASE):
            if isinstance(tool, str) or not _passes(tool, file, correct()):
                continue
            versions[tool.name] = tool.version
            for each in hundred:
                by = answers[each.name].setdefault("found by", {})
                by[tool.name] = not _passes(tool, file, each.text)
    text = json.dumps({"versions": versions, "answers": answers}, indent=1)
    RECORDED.write_text(f"{text}\n", encoding="utf-8")


def _passes(tool: Tool, file: Path, text: str) -> bool:
    """Whether a checker has nothing to say of a file."""
    file.write_text(text, encoding="utf-8")
    return subprocess.run([*tool.words, file], capture_output=True, check=False).returncode == 0


def _cell(text: str) -> str:
    """A text as it may be in a cell."""
    short = " ".join(text.split())
    short = short if len(short) <= 120 else short[:119].rstrip() + "…"
    return short.replace("|", "\\|").replace("<", "&lt;")


def _reason(message: str) -> str:
    return re.sub(
        r"^.*? is invalid: |^.*?strict decoding error: |^.*? cannot be handled as a \w+: ",
        "",
        message,
        flags=re.DOTALL,
    )


def table(recorded: Mapping[str, Any]) -> str:
    """The summary and the table, in Markdown."""
    counts: Counter[str] = Counter()
    rows = []
    for number, each in enumerate(chosen(), 1):
        answer = recorded["answers"][each.name]
        if answer["text"] != each.digest:
            raise SystemExit(f"{each.name} has changed: python -m benchmarks.mistakes record")
        server, own = answer["server"], found(each)
        rejects = server["way"] == "rejects"
        counts["server"] += rejects
        counts["dradsl"] += bool(own)
        counts["silent"] += not rejects
        counts["dradsl of silent"] += bool(own) and not rejects
        for tool, says in answer.get("found by", {}).items():
            counts[tool] += says
            counts[f"{tool} of silent"] += says and not rejects
        said = f"{server['way']}: {_cell(_reason(server['message']))}".removesuffix(": ")
        ours = (
            f"{own[0]['code']} {own[0]['severity']}: {_cell(own[0]['message'])}"
            if own
            else "**nothing**"
        )
        rows.append(f"| {number} | {_cell(each.title)} | {said} | {ours} |")
    versions = recorded["versions"]
    named = [
        ("API server", "server"),
        *((name, name) for name in versions if name not in ("API server", "dradsl lint")),
        ("dradsl", "dradsl"),
    ]
    lines = [
        "| | Version | of 100 | of those that the API server accepts |",
        "| --- | --- | --- | --- |",
    ]
    for title, key in named:
        version = versions.get("dradsl lint" if title == "dradsl" else title, "")
        silent = "0" if key == "server" else str(counts[f"{key} of silent"])
        lines.append(f"| {title} | {version} | {counts[key]} | {silent} of {counts['silent']} |")
    head = ["| | Mistake | The API server | dradsl |", "| --- | --- | --- | --- |"]
    return "\n".join([*lines, "", *head, *rows])


def page(text: str, recorded: Mapping[str, Any]) -> str:
    """The page with a new table."""
    before, _, rest = text.partition(_START)
    _, _, after = rest.partition(_END)
    return f"{before}{_START}\n\n{table(recorded)}\n\n{_END}{after}"


def main() -> None:
    """Write the page; with `record`, ask again before."""
    if sys.argv[1:] == ["record"]:
        record()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), recorded), encoding="utf-8")


if __name__ == "__main__":
    main()
