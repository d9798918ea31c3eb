"""Which of the files found in folders are looked at: by what their text holds, nothing is parsed."""

from __future__ import annotations

import re

from dradsl.text import mentions
from dradsl.values.patterns import pattern

__all__ = [
    "BASELINE",
    "BROKEN",
    "NAMED",
    "CONFIGURATION",
    "KUSTOMIZATIONS",
    "NOT_KUBERNETES",
    "PLAIN_PARTS",
    "SETTINGS_NAMES",
    "TEMPLATE",
    "TEMPLATE_ENDINGS",
    "is_baseline",
    "looks_like_kubernetes",
    "may_hold_values",
    "mentions_devices",
    "speaks_of_claims",
]

NOT_KUBERNETES = "no Kubernetes objects"
BROKEN = "broken YAML, a duplicate key or a dangling link, and nothing about claims or devices"
BASELINE = "a baseline or a report of dradsl"
NAMED = "another option or the configuration names it: no manifest"
CONFIGURATION = "the configuration of dradsl"
TEMPLATE = "template, not judged: lint what is made of it, such as the output of `helm template`"
PLAIN_PARTS = "template, judged only outside of braces: lint what is made of it, such as the output of `helm template`"

SETTINGS_NAMES = frozenset({".dradsl.yaml"})
KUSTOMIZATIONS = frozenset({"kustomization.yaml", "kustomization.yml"})

TEMPLATE_ENDINGS = (
    "-template", ".envsubst", ".erb", ".gotmpl", ".in", ".j2", ".jinja", ".jinja2", ".mustache", ".template", ".tftpl", ".tmpl", ".tpl",
    ".j2.yaml", ".j2.yml", ".tftpl.yaml", ".tftpl.yml", ".tmpl.yaml", ".tmpl.yml",
)  # fmt: skip
"""How the names of templates end: what cannot be read in them is no mistake."""

# The kinds that hold claims, or pods with claims. Any other object has `apiVersion` and `kind`.
_KINDS = (
    "Pod|PodTemplate|ReplicationController|Deployment|StatefulSet|DaemonSet|ReplicaSet|Job|CronJob"
    "|ResourceClaim|ResourceClaimTemplate|DeviceClass|ResourceSlice|DeviceTaintRule"
)
_WORDS_OF_CLAIMS = r"resources?\.k8s\.io|resourceclaim|deviceclassname"
_KNOWN_KIND = rf"""["']?kind["']?[ \t]*:[ \t]*["']?(?:{_KINDS})\b"""
# JSON patches of claims and pods with claims
_PATCH = r"""\bpath["']?[ \t]*:[ \t]*["']?/spec/(?:spec/)?(?:dev|sel|conf|ext|\S+/claims\b)"""
_ANYWHERE = pattern(rf"apiversion|{_WORDS_OF_CLAIMS}|\b{_KNOWN_KIND}|{_PATCH}", re.IGNORECASE)
_AT_TOP = pattern(rf"{_WORDS_OF_CLAIMS}|^{_KNOWN_KIND}|{_PATCH}", re.IGNORECASE | re.MULTILINE)
_API_VERSION = pattern(r"""^["']?apiversion["']?[ \t]*:""", re.IGNORECASE | re.MULTILINE)
_KIND = pattern(r"""^["']?kind["']?[ \t]*:""", re.IGNORECASE | re.MULTILINE)
_UNINDENTED_KEY = pattern(r"^[\w\"'][^\n]*:", re.MULTILINE)
_CLAIMS = pattern(r"resources?\.k8s\.io|resourceclaim|deviceclassname", re.IGNORECASE)
# Amounts below `limits` or `requests` whose names have a domain; below `claims` the claims of a container.
_DEVICES = pattern(
    r"""resources?\.k8s\.io|resourceclaim|device[-_]?(?:class|taint|plugin)|(?<![\w-])claims["']?[ \t]*:"""
    r"""|\b(?:limits|requests)["']?[ \t]*:[ \t]*(?:\{[^{}\n]{0,200}?"""
    r"""|(?:\n(?:[ \t]+[^ \t\n/][^\n/]*)?){0,8}?\n[ \t]+)["']?[a-z0-9.-]{1,100}\.[a-z]{1,20}/""",
    re.IGNORECASE | re.MULTILINE,
)
# What values of charts that ask for claims hold, beside these; and those of charts that install drivers.
_VALUES = (
    *mentions.CLAIM_VALUES.words,
    *(
        "gpuResourcesEnabledOverride",
        "gpuCluster:",
        "draDriver:",
        "computeDomains:",
        "xpumdEnabled",
    ),
)
_BASELINE = pattern(r'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"findings"\s*:\s*\[')


def looks_like_kubernetes(text: str, *, nested: bool = True) -> bool:
    """Say if a text holds what manifests hold: `apiVersion` and `kind`, a known kind, a word about claims.

    With `nested` also below other keys, as in a page or a template. Without, a file of another tool that holds an
    object somewhere below its own keys is no manifest. Capitals do not count, since a key with the wrong ones is a
    mistake to find. Comments do not count either: values of charts explain themselves with examples.
    """
    if text.lstrip()[:1] in ("{", "["):  # JSON has no comments, and all of it may be one line
        return _ANYWHERE.search(text) is not None
    if nested or _UNINDENTED_KEY.search(text) is None:
        return _is_outside_comments(_ANYWHERE, text)
    if _API_VERSION.search(text) is not None and _KIND.search(text) is not None:
        return True
    return _is_outside_comments(_AT_TOP, text)


def _is_outside_comments(words: re.Pattern[str], text: str) -> bool:
    found = words.search(text)
    while found is not None:
        start = found.start()
        before = text[text.rfind("\n", 0, start) + 1 : start]
        if not (before.startswith("#") or " #" in before or "\t#" in before):
            return True
        end = text.find("\n", start)  # a line is looked at once, however much it holds
        found = None if end < 0 else words.search(text, end)
    return False


def speaks_of_claims(text: str) -> bool:
    """Whether a text has words that only claims and devices have."""
    return _CLAIMS.search(text) is not None


def mentions_devices(text: str) -> bool:
    """Whether a text that may be broken has words of claims, or asks for devices of a device plugin."""
    return _is_outside_comments(_DEVICES, text)


def may_hold_values(text: str) -> bool:
    """Whether a text may be values of a chart that ask for claims (see DRA908), or of a driver's chart (DRA950)."""
    return any(mark in text for mark in _VALUES)


def is_baseline(text: str) -> bool:
    """Whether a text is what dradsl itself writes: a baseline, or a report in JSON."""
    return _BASELINE.match(text) is not None
