"""The public surface: what `import dradsl` offers, and what it costs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
import types

import pytest

import dradsl
import dradsl.testing

# A name that goes, or a parameter, breaks somebody: change this list knowingly, and say so in CHANGELOG.md.
SIGNATURES = {
    "lint": "objects kube_version feature_gates fleet context driver_schemas driver_versions select ignore "
    "preset config isolated extend_select severity custom_rules substitute namespace exclude include "
    "baseline since each_file build_with timeout",
    "simulate": "objects fleet kube_version feature_gates replicas pods_for_claims known_classes "
    "node_order",
    "fit": "objects fleet kube_version feature_gates limit known_classes",
    "sweep": "workloads fleets executor kube_version feature_gates limit known_classes",
    "migrate": "objects answers fleet kube_version driver_schemas build_with timeout",
    "same": "attribute requests",
    "distinct": "attribute requests",
    "raw_cel": "text values",
    "cel_string": "text",
    "all_of": "conditions",
    "any_of": "conditions",
    "driver": "name",
    "from_dict": "data",
    "from_yaml": "text on_error",
}
CLASSES = {
    "App": "for_release feature_gates name uses",
    "DeviceClass": "name labels annotations metadata select configs extended_resource_name",
    "ResourceClaim": "name labels annotations metadata namespace requests constraints configs status",
    "ResourceClaimTemplate": "name labels annotations metadata namespace requests constraints configs "
    "claim_labels claim_annotations",
    "ComputeDomain": "name labels annotations metadata namespace num_nodes channel_template allocation_mode",
    "ResourceSlice": "name labels annotations metadata driver pool node_name all_nodes devices other",
    "DeviceTaintRule": "name labels annotations metadata taint driver pool device",
    "KubernetesObject": "data",
    "Request": "name device_class select count allocation_mode admin_access tolerations capacity "
    "derived_attributes",
    "FirstAvailable": "name alternatives",
    "Toleration": "key operator value effect seconds",
    "Config": "parameters requests",
    "Opaque": "driver data",
    "PodClaim": "name source",
    "Device": "name attributes capacity taints other",
    "Pool": "name generation slices",
    "Taint": "key effect value time_added",
    "Fleet": "documents",
}
# The results, by what can be read of them.
RESULTS = {
    "LintResult": "at_least codes errors findings infos kubernetes notes objects of ok report "
    "unfinished warnings without",
    "Finding": "code document field fix folded help kubernetes message name object origin path related severity "
    "span upstream url why",
    "SimulationResult": "fits kubernetes notes pending pod pods rejected report",
    "PodResult": "alike answer devices fits fitting name namespace node not_known reason",
    "AllocatedDevice": "claim device driver pool request",
    "Sweep": "count index to_csv to_dicts to_markdown",
    "SweepRow": "answer devices fleet nodes pods reason replicas shown starting workload",
    "MigrationResult": "complete evidence faults files items questions report unread",
    "MigratedFile": "after before changed path",
    "MigrationItem": "before doubt line object outcome path question reason where",
}
OTHERS = {
    "BuildError",
    "Constraint",
    "DradslError",
    "DroppedFieldsError",
    "DuplicateObjectError",
    "Expression",
    "Manifest",
    "ManifestError",
    "ObjectRef",
    "ParameterError",
    "Related",
    "Severity",
    "Span",
    "__version__",
}
TESTING = {
    "assert_fits": "objects fleet kube_version replicas pods_for_claims",
    "assert_lint_clean": "objects allow severity kube_version fleet context driver_schemas",
    "assert_pending": "objects fleet because kube_version",
    "assert_snapshot": "app path update",
    "load_app": "target parameters",
    "load_apps": "target parameters",
}


def parameters(thing: object) -> str:
    assert callable(thing)
    return " ".join(inspect.signature(thing).parameters)


def test_names() -> None:
    assert {*SIGNATURES, *CLASSES, *RESULTS, *OTHERS} == {*dradsl.__all__}
    assert len(dradsl.__all__) == len({*dradsl.__all__})
    assert dir(dradsl) == sorted(dradsl.__all__)
    assert {*TESTING} == {*dradsl.testing.__all__}


@pytest.mark.parametrize(("name", "expected"), [*SIGNATURES.items(), *CLASSES.items()])
def test_signatures(name: str, expected: str) -> None:
    assert parameters(getattr(dradsl, name)) == expected


@pytest.mark.parametrize(("name", "expected"), TESTING.items())
def test_signatures_of_testing(name: str, expected: str) -> None:
    assert parameters(getattr(dradsl.testing, name)) == expected


@pytest.mark.parametrize(("name", "expected"), RESULTS.items())
def test_results(name: str, expected: str) -> None:
    assert " ".join(n for n in sorted(dir(getattr(dradsl, name))) if n[0] != "_") == expected


@pytest.mark.parametrize(
    "name", sorted({*CLASSES, *SIGNATURES, *RESULTS} - {"lint", "simulate", "migrate"})
)
def test_docstrings(name: str) -> None:
    """Each public class and function says what it is, and what each of its parameters is."""
    thing = getattr(dradsl, name)
    text = inspect.getdoc(thing) or ""
    assert len(text) > 20
    wanted = (SIGNATURES | CLASSES).get(name, "").split()
    if wanted and name not in (
        "from_dict",
        "same",
        "distinct",
        "all_of",
        "any_of",
        "cel_string",
        "driver",
    ):
        assert [one for one in wanted if f"    {one}: " not in text] == []


def test_functions_that_are_called_like_packages() -> None:
    import dradsl.lint.settings
    import dradsl.migrate.run
    import dradsl.simulate.pods
    from dradsl import lint, migrate, simulate

    for one in (lint, migrate, simulate, dradsl.lint):
        package: object = one
        assert isinstance(package, types.ModuleType)
        assert callable(package)
    assert not lint(dradsl.App()).findings


def test_the_import_costs_next_to_nothing() -> None:
    program = (
        "import sys; before = {*sys.modules}; import dradsl; print(*sorted({*sys.modules} - before)); "
        "from dradsl import App; print('pydantic' in sys.modules, 'click' in sys.modules, "
        "'dradsl.lint.engine' in sys.modules, 'dradsl.simulate' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    first, second = run.stdout.splitlines()
    assert {*first.split()} <= {"dradsl", "dradsl._version", "types", "_types", "__future__"}
    assert second == "False False False False"


def test_the_plugin_is_cheap() -> None:
    """Pytest imports it in every run of everybody who has dradsl installed."""
    program = (
        "import pytest, sys; before = {*sys.modules}; import dradsl.testing.plugin; "
        "print(*sorted({*sys.modules} - before))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert {*run.stdout.split()} <= {
        "dradsl",
        "dradsl._version",
        "dradsl.testing",
        "dradsl.testing.plugin",
    }


def test_private_packages_say_so() -> None:
    """Packages are public, or their text says that they are not; `help` shows it."""
    public = {"api", "devices", "integrations", "testing"}
    packages = {each.name for each in pkgutil.iter_modules(dradsl.__path__) if each.ispkg}
    assert public <= packages
    for name in sorted(packages - public):
        importlib.import_module(f"dradsl.{name}")
        text = sys.modules[f"dradsl.{name}"].__doc__ or ""
        assert "Private: names may change" in text, name
