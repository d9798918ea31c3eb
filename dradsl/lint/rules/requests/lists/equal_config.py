"""DRA336: a claim repeats the configuration of its class, word for word."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import member

CODE = "DRA336"
WORDS = ("config", "opaque")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        configs = claim.devices.get("config")
        if not isinstance(configs, list) or len(configs) > 1:
            continue  # the last one of a driver may decide: then the order matters
        for index, config in enumerate(configs):
            opaque = config.get("opaque") if isinstance(config, dict) else None
            if not opaque:
                continue
            named = claim.named(member(config, "requests"))
            asked = dict.fromkeys(each.body.get("deviceClassName") for each in named)
            classes = [each for each in asked if isinstance(each, str)]
            found = [_manifest(run, claim, name) for name in classes]
            first = found[0] if found else None
            if first is None or not all(each and _has(run, each, opaque) for each in found):
                continue
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*claim.path, "devices", "config", index, "opaque")),
                f'class "{classes[0]}" has the same configuration: the driver gets it twice',
                help="leave it out, unless the class is to change without this claim",
                on_key=True,
                related=(RelatedField("the same", first, ("spec", "config")),),
            )


def _manifest(run: Run, claim: ClaimView, name: str) -> Manifest | None:
    meant = run.index.meant("DeviceClass", name, claim.manifest)
    return meant[0] if len(meant) == 1 else None


def _has(run: Run, device_class: Manifest, opaque: object) -> bool:
    admission = run.admission(device_class)
    if admission is None or admission.object is None:
        return False
    configs = (admission.object.get("spec") or {}).get("config")
    return isinstance(configs, list) and any(
        isinstance(each, dict) and each.get("opaque") == opaque for each in configs
    )
