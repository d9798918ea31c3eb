"""Rules of a team, as users meet them: lint, rule, rule test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
import yaml

from dradsl.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

ACME = Path(__file__).parents[2] / "examples" / "custom-rules" / "acme.yaml"
RULE = """\
rules:
  - code: ACME001
    name: claim-owner
    severity: error
    kinds: [ResourceClaim]
    cel: has(object.metadata.labels) && 'owner' in object.metadata.labels
    message: no owner
    path: metadata.labels
    url: https://acme.example/owner
    why: somebody pays
"""
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: a
  namespace: ml
  labels: {app: x}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.nvidia.com
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A call in a repository of its own: exit code, standard output, standard error."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["dradsl", *words])
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        code = end.value.code
        return (code if isinstance(code, int) else int(code is not None)), said.out, said.err

    return call


def write(**files: str) -> None:
    for name, text in files.items():
        Path(f"{name}.yaml").write_text(text)


def found(run: Run, *words: str) -> list[tuple[str, str, int]]:
    """Code, severity and line of the findings of rules that are not ours."""
    _, out, err = run(
        "lint", "--output-format", "json", "--config", "custom-rules=rules.yaml", *words
    )
    assert out, err
    return [
        (each["code"], each["severity"], each["line"])
        for each in json.loads(out)["findings"]
        if not each["code"].startswith("DRA")
    ]


def test_a_finding_is_one_of_any_rule(run: Run) -> None:
    write(rules=RULE, claim=CLAIM)
    code, out, _ = run("lint", "-q", "--config", "custom-rules=rules.yaml", "claim.yaml")
    assert code == 1
    assert "claim.yaml:6:3: ACME001 claim-owner error: no owner" in out
    assert "why: somebody pays" in out


def test_reports_name_the_page_of_the_rule(run: Run) -> None:
    write(rules=RULE, claim=CLAIM)
    words = ("--config", "custom-rules=rules.yaml", "claim.yaml")
    assert (
        '"url": "https://acme.example/owner"' in run("lint", "--output-format", "json", *words)[1]
    )
    (each,) = json.loads(run("lint", "--output-format", "sarif", *words)[1])["runs"]
    (rule,) = each["tool"]["driver"]["rules"]
    assert (rule["id"], rule["helpUri"]) == ("ACME001", "https://acme.example/owner")
    assert rule["fullDescription"]["text"] == "somebody pays"


@pytest.mark.parametrize(
    "words",
    [
        ("--ignore", "ACME001"),
        ("--ignore", "ACME"),
        ("--ignore", "claim-owner"),
        ("--select", "DRA3"),
    ],
)
def test_selectors_mean_them(run: Run, words: tuple[str, ...]) -> None:
    write(rules=RULE, claim=CLAIM)
    assert found(run, "claim.yaml") == [("ACME001", "error", 6)]
    assert found(run, *words, "claim.yaml") == []


def test_an_ignore_hides_a_finding_and_is_used(run: Run) -> None:
    ignored = CLAIM.replace("  labels:", "  # dradsl: ignore[ACME001] not ours\n  labels:")
    good = ignored.replace("{app: x}", "{owner: me}")
    write(rules=RULE, claim=ignored, other=good)
    code, out, _ = run("lint", "-q", "--config", "custom-rules=rules.yaml", ".")
    assert (code, "ACME001 claim-owner" in out) == (1, False)
    assert "other.yaml:6:3: DRA010" in out
    assert "claim.yaml" not in out


def test_configuration_names_files_of_its_tree(run: Run) -> None:
    write(rules=RULE, claim=CLAIM)
    Path(".dradsl.yaml").write_text(
        "custom-rules: [rules.yaml]\nseverities: {ACME: info}\n"
        "per-file-ignores: {other.yaml: [claim-owner]}\n"
    )
    Path("other.yaml").write_text(CLAIM)
    code, out, _ = run("lint", "-q", "--fail-on", "info", ".")
    assert code == 1
    assert [line for line in out.splitlines() if "ACME" in line and ": ACME" in line] == [
        "claim.yaml:6:3: ACME001 claim-owner info: no owner"
    ]
    Path(".dradsl.yaml").write_text("custom-rules: [../rules.yaml]\n")
    code, _, err = run("lint", ".")
    assert code == 2
    assert "custom-rules: '../rules.yaml' is outside" in err


def test_a_baseline_knows_them(run: Run) -> None:
    write(rules=RULE, claim=CLAIM)
    assert (
        run("lint", "--config", "custom-rules=rules.yaml", "--baseline", "b.json", "--write", ".")[
            0
        ]
        == 0
    )
    assert found(run, "--baseline", "b.json", ".") == []


def test_beta_objects_are_seen_in_v1_with_defaults(run: Run) -> None:
    rule = RULE.replace(
        "has(object.metadata.labels) && 'owner' in object.metadata.labels",
        "object.spec.devices.requests.all(r, r.exactly.count > 1)",
    ).replace("metadata.labels\n", "spec.devices.requests[0].exactly.deviceClassName\n")
    beta = CLAIM.replace("/v1\n", "/v1beta1\n").replace("      exactly:\n        d", "      d")
    write(rules=rule, claim=beta)
    assert found(run, "claim.yaml") == [("ACME001", "error", 11)]


TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: a, namespace: ml, labels: {owner: me}}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.nvidia.com}
"""


def test_a_template_is_the_claim_that_is_made_of_it(run: Run) -> None:
    write(rules=RULE, claim=TEMPLATE)
    assert [code for code, _, _ in found(run, "claim.yaml")] == ["ACME001"]
    write(rules=RULE + "    templates: false\n")
    assert found(run, "claim.yaml") == []
    write(
        rules=RULE,
        claim=TEMPLATE.replace("spec:\n  spec", "spec:\n  metadata: {labels: {owner: me}}\n  spec"),
    )
    assert found(run, "claim.yaml") == []


def test_pods_of_workloads_are_pods(run: Run) -> None:
    rule = RULE.replace("[ResourceClaim]", "[Pod]").replace(
        "has(object.metadata.labels) && 'owner' in object.metadata.labels",
        "has(object.spec.priorityClassName)",
    )
    rule = rule.replace("metadata.labels\n", "spec.containers\n")
    deployment = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: ml}
spec:
  template:
    spec:
      containers: [{name: c, image: x}]
"""
    write(rules=rule, claim=deployment)
    assert found(run, "claim.yaml") == [("ACME001", "error", 7)]


UNKNOWN = RULE.replace(
    "has(object.metadata.labels) && 'owner' in object.metadata.labels",
    "object.metadata.namespace in ['a', 'b'] || object.spec.devices.requests[0].exactly.deviceClassName != 'gpu.nvidia.com'",
)


def test_what_is_not_known_is_not_judged(run: Run) -> None:
    """Neither a namespace that is not written nor a variable; what is known decides all the same."""
    without = CLAIM.replace("  namespace: ml\n", "")
    write(rules=UNKNOWN, claim=CLAIM)
    assert len(found(run, "claim.yaml")) == 1
    write(claim=without)
    assert found(run, "claim.yaml") == []
    assert found(run, "--namespace", "a", "claim.yaml") == []
    assert len(found(run, "--namespace", "c", "claim.yaml")) == 1
    write(claim=CLAIM.replace("gpu.nvidia.com", "${CLASS}"))
    assert found(run, "claim.yaml") == []
    assert len(found(run, "--substitute", "CLASS=gpu.nvidia.com", "claim.yaml")) == 1


def test_labels_that_a_kustomization_adds(run: Run) -> None:
    write(rules=RULE, claim=CLAIM)
    Path("kustomization.yaml").write_text("resources: [claim.yaml]\n")
    assert len(found(run, ".")) == 1
    Path("kustomization.yaml").write_text(
        "resources: [claim.yaml]\nlabels: [{pairs: {owner: me}}]\n"
    )
    assert found(run, ".") == []


def test_a_rule_that_fails_is_said_once_and_as_a_warning(run: Run) -> None:
    rule = RULE.replace("has(object.metadata.labels) && ", "true && ")
    bare = CLAIM.replace("  labels: {app: x}\n", "")
    write(
        rules=rule,
        claim=f"{bare}---\n{bare.replace('name: a', 'name: b')}",
    )
    code, out, _ = run("lint", "-q", "--config", "custom-rules=rules.yaml", "claim.yaml")
    assert code == 1
    assert out.count("cannot judge this object: no such key: labels") == 1
    assert "ACME001 claim-owner warning" in out


MISTAKES = [
    ("code: ACME001", "code: DRA901", 2, "codes that begin with DRA are ours"),
    ("code: ACME001", "code: acme-1", 2, "`code` is a code of capitals and digits"),
    ("name: claim-owner", "name: missing-claim", 2, "the name missing-claim is that of DRA411"),
    ("severity: error", "severity: bad", 4, "`severity` is one of"),
    ("[ResourceClaim]", "[resourceclaims]", 5, "did you mean ResourceClaim?"),
    ("[ResourceClaim]", "[]", 5, "`kinds` is a list of kinds"),
    ("[ResourceClaim]", "[3]", 5, "an entry of `kinds` is a kind, such as ResourceClaim"),
    ("    severity: error\n", "", 2, "`severity` is missing"),
    ("message: no owner", "mesage: no owner", 7, "did you mean message?"),
    ("cel: has(", "cel: hass(", 6, "undeclared reference to 'hass'"),
    (
        "cel: has(object.metadata.labels) &&",
        "cel: oldObject == null &&",
        6,
        "variable object alone",
    ),
    (
        "cel: has(object.metadata.labels) && 'owner' in object.metadata.labels",
        "cel: object.x",
        6,
        "must evaluate to bool but got dyn",
    ),
    ("url: https://acme", "url: file://acme", 9, "`url` is the address of a page"),
    ("path: metadata.labels", "path: metadata..labels", 8, "no field path"),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), MISTAKES)
def test_mistakes_have_a_place(run: Run, old: str, new: str, line: int, said: str) -> None:
    assert old in RULE
    write(rules=RULE.replace(old, new), claim=CLAIM)
    code, _, err = run("lint", "--config", "custom-rules=rules.yaml", "claim.yaml")
    assert (code, said in err) == (2, True), err
    assert f"rules.yaml:{line}: " in err


def test_the_schema_for_editors_says_the_same(run: Run) -> None:
    """What it describes is read, and mistakes in the form of a file are mistakes in both."""
    code, out, _ = run("schema", "export", "custom-rules")
    assert code == 0
    schema = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for text in (RULE, ACME.read_text("utf-8")):
        validator.validate(yaml.safe_load(text))
    # Names, CEL and paths are beyond a schema.
    beyond = (
        "missing-claim",
        "hass(",
        "oldObject",
        "cel: object.x",
        "[resourceclaims]",
        "metadata..labels",
    )
    for old, new, _, _ in MISTAKES:
        if not any(word in new for word in beyond):
            assert not validator.is_valid(yaml.safe_load(RULE.replace(old, new))), new
    for wrong in ("rules: 3", "- a", "rules: [3]", "rules: []\nmore: 1"):
        assert not validator.is_valid(yaml.safe_load(wrong))


@pytest.mark.parametrize(
    "text", ["", "rules: 3", "- a", "rules: [3]", "a: &a [*a]", "{", "rules: []\n---\nrules: []"]
)
def test_what_is_no_rule_file(run: Run, text: str) -> None:
    write(rules=text, claim=CLAIM)
    code, _, err = run("lint", "--config", "custom-rules=rules.yaml", "claim.yaml")
    assert code == 2
    assert err.startswith("dradsl lint: rules.yaml")
    assert "internal error" not in err


def test_the_schema_for_editors_is_the_one_that_lint_checks(run: Run) -> None:
    code, out, _ = run("schema", "export", "custom-rules")
    valid = jsonschema.Draft202012Validator(json.loads(out)).is_valid
    assert code == 0
    assert valid(yaml.safe_load(RULE))
    assert not valid(yaml.safe_load(RULE.replace("severity: error", "severity: bad")))


def test_an_expression_that_costs_too_much_ends(run: Run) -> None:
    many = "[0,1,2,3,4,5,6,7,8,9]"
    inner = f"{many}.all(a, {many}.all(b, {many}.all(c, {many}.all(d, {many}.all(e, {many}.all(f, a + b + c + d + e + f >= 0))))))"
    write(rules=RULE.replace("has(object.metadata.labels) &&", f"true && {inner} &&"), claim=CLAIM)
    _, out, _ = run("lint", "-q", "--config", "custom-rules=rules.yaml", "claim.yaml")
    assert "cost limit exceeded" in out


def test_the_shipped_examples_do_what_they_show(run: Run) -> None:
    code, out, err = run("rule", "test", str(ACME))
    assert (code, err) == (0, "")
    assert out == "9 examples of 3 rules: all do what they show\n"


def test_examples_that_fail(run: Run) -> None:
    def item(text: str) -> str:
        return "        - |\n" + "".join(f"          {line}\n" for line in text.splitlines())

    other = CLAIM.replace("{app: x}", "{owner: me}")
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
    good = "    examples:\n      good:\n" + item(other) + item(CLAIM)
    bad = "      bad:\n" + item(CLAIM) + item(other) + item(pod)
    write(rules=RULE + good + bad)
    code, out, _ = run("rule", "test", "rules.yaml")
    assert code == 1
    assert out.count("this good example fails: the rule finds: no owner") == 1
    assert out.count("this bad example fails: the rule finds nothing in it") == 1
    assert out.count("this bad example holds nothing of the rule's kinds") == 1
    assert "5 examples of 1 rule: 3 failed" in out
    code, _, err = run("rule", "test")
    assert (code, "no rules to test" in err) == (2, True)


def test_they_are_listed_and_shown(run: Run) -> None:
    write(rules=RULE)
    Path(".dradsl.yaml").write_text("custom-rules: [rules.yaml]\n")
    _, out, _ = run("rule", "--select", "ACME")
    assert out.splitlines()[-1].split() == ["ACME001", "claim-owner", "error", "no", "owner"]
    _, out, _ = run("rule", "--select", "claim-owner", "--output-format", "json")
    assert [each["code"] for each in json.loads(out)] == ["ACME001"]
    code, out, _ = run("rule", "acme001")
    assert (code, out.startswith("ACME001 claim-owner (error)")) == (0, True)
    code, out, _ = run("rule", "claim-owner", "--output-format", "json")
    assert (code, json.loads(out)["url"]) == (0, "https://acme.example/owner")
    assert run("rule", "ACME002")[0] == 2
