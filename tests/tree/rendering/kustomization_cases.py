"""Kustomizations that Kustomize's decoder and a plain reader of YAML may read differently, by hand and made of seeds."""

from __future__ import annotations

import random
from pathlib import Path

__all__ = ["BY_HAND", "RECORDED", "cases"]

RECORDED = Path(__file__).with_name("decoded.json")

_BYTE_ORDER_MARK = "\ufeff"
BY_HAND: dict[str, str | bytes] = {
    "plain": "resources: [a.yaml]\nnamePrefix: x-\n",
    "other case": "Resources: [a.yaml]\n",
    "all in capitals": "GENERATORS: [g.yaml]\n",
    "other case of a field within": "helmCharts: [{name: a, ReleaseName: --post-renderer=x}]\n",
    "other case after the right one": "helmCharts: [{name: a}]\nhelmcharts: [{name: b}]\n",
    "other case before the right one": "helmcharts: [{name: b}]\nhelmCharts: [{name: a}]\n",
    "a letter that folds to k": "boo\u212a: 1\nhoo\u212as: [a]\n",
    "a letter that folds to s": "re\u017fources: [a.yaml]\n",
    "equal keys": "resources: [a.yaml]\nresources: [b.yaml]\n",
    "equal keys in another style": "resources: [a.yaml]\n'resources': [b.yaml]\n",
    "equal keys by an escape": 'resources: [a.yaml]\n"\\x72esources": [b.yaml]\n',
    "equal keys within": "patches: [{path: a.yaml, path: b.yaml}]\n",
    "a key with a tag": "!!str resources: [a.yaml]\n",
    "a value with a tag": "namePrefix: !!str 1\n",
    "a binary value": "namePrefix: !!binary YQ==\n",
    "an own tag": "resources: !list [a.yaml]\n",
    "an anchor": "resources: &r [a.yaml]\ncomponents: *r\n",
    "an anchor set twice": "resources: [&r a.yaml, &r b.yaml]\ncomponents: [*r]\n",
    "a merge": "labels:\n- &l {pairs: {a: b}, includeSelectors: true}\n- {<<: *l, pairs: {c: d}}\n",
    "a merge after the key": "labels:\n- &l {pairs: {a: b}}\n- {pairs: {c: d}, <<: *l}\n",
    "a merge at the top": "<<: {resources: [a.yaml]}\nresources: [b.yaml]\n",
    "a merge of two": "<<: [{namePrefix: a}, {namePrefix: b, nameSuffix: c}]\nresources: []\n",
    "an alias as a key": "namePrefix: &k nameSuffix\n*k : x\n",
    "two documents": "resources: [a.yaml]\n---\nresources: [b.yaml]\n",
    "an empty document first": "---\n---\nresources: [b.yaml]\n",
    "an empty document last": "resources: [b.yaml]\n---\n",
    "a comment before the mark": "# x\n---\nresources: [b.yaml]\n",
    "text after the mark": "--- {resources: [b.yaml]}\n",
    "the end of a document": "resources: [b.yaml]\n...\n",
    "something after the end": "resources: [b.yaml]\n...\nresources: [a.yaml]\n",
    "a mark within a text": "namePrefix: |\n  a\n  ---\n  b\n",
    "a directive": "%YAML 1.1\n---\nresources: [b.yaml]\n",
    "a directive of tags": "%TAG ! tag:yaml.org,2002:\n---\nnamePrefix: !str 1\n",
    "a byte order mark": f"{_BYTE_ORDER_MARK}resources: [a.yaml]\n",
    "UTF-16": "resources: [a.yaml]\n".encode("utf-16"),
    "bytes that are no UTF-8": b"resources: [a.yaml, \xff]\n",
    "a tab for a space": "resources:\t[a.yaml]\n",
    "a tab that indents": "resources:\n\t- a.yaml\n",
    "ends of lines of Windows": "resources:\r\n- a.yaml\r\n",
    "ends of lines of an old Mac": "resources:\r- a.yaml\rnamePrefix: x\r",
    "the end of a line of Unicode": "namePrefix: a\u2028nameSuffix: b\n",
    "a number for a text": "namePrefix: 1\n",
    "a truth for a text": "namePrefix: on\n",
    "a text for a list": "resources: a.yaml\n",
    "a list for a mapping": "commonLabels: [a]\n",
    "a list at the top": "[resources]\n",
    "nothing": "",
    "null": "null\n",
    "null for a list": "resources:\nnamePrefix: x\n",
    "null in a list": "resources: [~]\n",
    "null in a mapping": "commonLabels: {a: }\n",
    "a fraction for a whole number": "replicas: [{name: a, count: 3.0}]\n",
    "an octal number": "replicas: [{name: a, count: 010}]\n",
    "a number in another form": "replicas: [{name: a, count: 0x10}]\n",
    "a number with marks": "replicas: [{name: a, count: 1_000}]\n",
    "a number of base 60": "replicas: [{name: a, count: 1:30}]\n",
    "a number that is too large": "replicas: [{name: a, count: 99999999999999999999}]\n",
    "a text for a truth": "labels: [{pairs: {a: b}, includeSelectors: 'true'}]\n",
    "yes for a truth": "labels: [{pairs: {a: b}, includeSelectors: yes}]\n",
    "y for a truth": "labels: [{pairs: {a: b}, includeSelectors: y}]\n",
    "a number as a key": "commonLabels: {1: a}\n",
    "a truth as a key": "commonLabels: {on: a}\n",
    "null as a key": "commonLabels: {~: a}\n",
    "a date": "namePrefix: 2001-01-01\n",
    "a set": "resources: {? a.yaml}\n",
    "a key with a question mark": "? resources\n: [a.yaml]\n",
    "a key of two lines": '"reso\\\n  urces": [a.yaml]\n',
    "JSON": '{"resources": ["a.yaml"], "namePrefix": "\\u0078-"}\n',
    "JSON with half of a letter": '{"namePrefix": "\\ud83d\\ude00"}\n',
    "tabs in JSON": '{\n\t"resources": [\n\t\t"a.yaml"\n\t]\n}\n',
    "a template": "resources: [{{ .Values.x }}]\n",
    "a variable": "namePrefix: ${PREFIX}\n",
    "a colon in a text": "resources: [a:b.yaml, 'c: d']\n",
    "a colon at the end in a flow": "resources: [a:, b]\n",
    "a comment without a space": "resources: [a.yaml]#x\n",
    "values of any kind": "helmCharts:\n- name: a\n  valuesInline: {n: 1, f: 1.5, t: yes, e: , l: [1, {x: y}], 2: z}\n",
    "a large value": "helmCharts: [{name: a, valuesInline: {n: 12345678901234567890}}]\n",
    "not a number": "helmCharts: [{name: a, valuesInline: {n: .nan}}]\n",
    "an unknown field": "resources: [a.yaml]\nplugins: [x]\n",
    "a field of another place": "helmCharts: [{name: a, chartHome: b}]\n",
    "the home of another helm": "helmGlobals: {configHome: .}\n",
    "a program": "helmChartInflationGenerator: [{chartName: a, helmBin: ./evil}]\n",
    "a patch as a mapping": "patchesStrategicMerge: [{kind: Pod}]\n",
}

_PARTS = (
    "resources: [a.yaml, ./b]",
    "namePrefix: x-",
    "nameSuffix: '-y'",
    "namespace: n",
    "commonLabels: {a: b, c: 'd'}",
    "labels: [{pairs: {a: b}, includeSelectors: true}]",
    "images: [{name: x, newTag: '1', digest: }]",
    "replicas: [{name: a, count: 3}]",
    "patches:\n- path: p.yaml\n  target: {kind: Pod, labelSelector: a=b}\n- patch: |-\n    - op: remove\n      path: /x",
    "configMapGenerator:\n- name: c\n  literals: [A=1]\n  options: {disableNameSuffixHash: true}",
    "helmCharts:\n- name: c\n  releaseName: r\n  valuesInline: {a: {b: [1, null, x]}}\n  includeCRDs: true",
    "helmGlobals: {chartHome: charts}",
    "generators: [g.yaml]",
    "transformers:\n- |-\n  apiVersion: builtin\n  kind: PrefixTransformer",
    "replacements:\n- source: {kind: Pod, name: a, fieldPath: x}\n  targets: [{select: {kind: Pod}, fieldPaths: [y]}]",
    "components: [c]",
    "vars: [{name: V, objref: {apiVersion: v1, kind: Pod, name: a}}]",
    "sortOptions: {order: fifo}",
    "openapi: {path: o.json}",
    "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1",
)


def cases(seed: int = 1, count: int = 300) -> list[bytes]:
    """The kustomizations by hand, then those of a seed."""
    chance = random.Random(seed)
    made = [each.encode() if isinstance(each, str) else each for each in BY_HAND.values()]
    for _ in range(count):
        parts = chance.sample(_PARTS, chance.randint(1, 4))
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            index = chance.randrange(len(parts))
            parts[index] = _changed(parts[index], chance)
            if chance.random() < 0.2:
                parts.append(_changed(parts[index], chance))
        text = "\n".join(parts) + "\n"
        if chance.random() < 0.15:
            text = chance.choice(("---\n", "# x\n", _BYTE_ORDER_MARK, "--- # x\n", "\n\n")) + text
        if chance.random() < 0.1:
            text += chance.choice(("---\n", "...\n", "---\nresources: [z]\n", "# end", "\t\n"))
        made.append(text.encode())
    return made


def _changed(text: str, chance: random.Random) -> str:
    key, colon, rest = text.partition(":")
    at = chance.randrange(len(text) + 1)
    changes = (
        lambda: key.swapcase() + colon + rest,
        lambda: key.capitalize() + colon + rest,
        lambda: key.replace("k", "\u212a").replace("s", "\u017f") + colon + rest,
        lambda: f"'{key}'{colon}{rest}",
        lambda: f'"{key}" {colon}{rest}',
        lambda: f"? {key}\n{colon}{rest}" if "\n" not in rest else text,
        lambda: f"{key}{colon} &a{rest}",
        lambda: f"!!str {key}{colon}{rest}",
        lambda: text.replace(": ", ":\t", 1),
        lambda: text.replace("name", chance.choice(("Name", "NAME", "nam"))),
        lambda: text.replace("true", chance.choice(("yes", "On", "1", "'true'", "y", "~"))),
        lambda: text.replace("3", chance.choice(("3.0", "0o3", "03", "1e2", "'3'", "+3", "3_0"))),
        lambda: text.replace("x", chance.choice(("0x1", "null", "1.", "'", "{}", "=", "<<", "*a"))),
        lambda: text.replace("[", "[,", 1),
        lambda: text.replace("{", "{<<: {a: b}, ", 1),
        lambda: (
            text[:at] + chance.choice("\t\n:#&*!|>'\"%@`{}[],?- \u0085\u2028\ufeff~") + text[at:]
        ),
        lambda: text[:at] + text[at + 1 :],
    )
    return chance.choice(changes)()
