"""DRA320: allocationMode All with nothing that says which devices: those of every driver are taken."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.drivers.classes import selectors_of_class
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA320"
WORDS = ("All",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            if request.body.get("allocationMode") != "All" or request.body.get("selectors"):
                continue
            name = request.body.get("deviceClassName")
            if not isinstance(name, str) or claim.manifest.is_patch:
                continue
            classes = run.index.meant("DeviceClass", name, claim.manifest)
            if not classes or selectors_of_class(run, name) != ():
                continue
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*request.path, "allocationMode")),
                f'class "{name}" has no selector: All takes every device of the node, of whatever driver',
                help="give the class a selector with device.driver",
                related=(RelatedField("the class", classes[0], ("metadata", "name")),),
            )
