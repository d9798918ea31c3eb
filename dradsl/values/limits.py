"""The limits of what an input may hold or produce. Each has the row of docs/limits.md above it.

A row has what is limited and what happens beyond it. `{}` is the number. Only numbers are here, so that a
command which needs one loads no text.
"""

from __future__ import annotations

__all__ = [
    "ISOLATED_SECONDS",
    "MOST_BRACKETS",
    "MOST_BUILDERS",
    "MOST_BUILDERS_ABOVE",
    "MOST_BUILDS_OF_A_FILE",
    "MOST_BUILT",
    "MOST_BUILT_HERE",
    "MOST_BYTES_OUTSIDE",
    "MOST_CHARTS_OUTSIDE",
    "MOST_CHARTS_WITHIN",
    "MOST_COMMITTED",
    "MOST_COPIES",
    "MOST_COPIES_EACH",
    "MOST_DIGITS",
    "MOST_FILES_BELOW",
    "MOST_FILES_COPIED",
    "MOST_FILLED",
    "MOST_FILLED_IN_ALL",
    "MOST_HELPERS_WITHIN",
    "MOST_LEVELS",
    "MOST_LEVELS_OF_NAMES",
    "MOST_LEVELS_OF_PATCHES",
    "MOST_LEVELS_OF_SETTINGS",
    "MOST_OVERLAYS",
    "MOST_PODS",
    "MOST_RECORDED",
    "MOST_REFERENCES",
    "MOST_RENDERED",
    "MOST_ROUNDS_OF_BUILDS",
    "MOST_TEMPLATES_OUTSIDE",
    "MOST_TRIED",
    "MOST_TRIES_OF_A_DOCUMENT",
    "MOST_TRIES_OF_SWITCHES",
]

# The largest public kustomizations have some hundred objects.
# | Objects of one build of Kustomize, Flux or Argo CD | {} | not built: lint says so in a note, `migrate` refuses what is built of it |
MOST_BUILT_HERE = 4_000

# | Objects of all builds of a run | {} | the same |
MOST_BUILT = 200_000

# A base that many overlays take comes to as many copies as there are kustomizations; only bases of bases that are taken
# several times on each level come to more, and to twice as many with each level.
# | Objects that one build may make of one object, whatever the number of its kustomizations | {} | the same |
MOST_COPIES = 256

# | Objects that one build may make of one object for each of its kustomizations, where that is more | {} | the same |
MOST_COPIES_EACH = 8

# MaxRequestBodyBytes in k8s.io/apiserver pkg/server/config.go (1.37).
# | Characters that variables of Flux come to, in an object: the largest request that the API server takes | {} | the same |
MOST_FILLED = 3 * 1024 * 1024

# | Characters that variables of Flux come to, in all builds of a run | {} | the same |
MOST_FILLED_IN_ALL = 64 * 1024 * 1024

# Kubernetes supports 150,000 pods and 5,000 nodes in a cluster.
# | Objects of a recording | {} | refused |
MOST_RECORDED = 500_000

# The recording of 100,000 nodes has 10,000,000.
# | Mappings and lists of a recording in JSON | {} | refused |
MOST_BRACKETS = 16_000_000

# Those of an int64. Python itself reads at most 4,300.
# | Digits of a number in a text, such as a count or a weight | {} | it is no number |
MOST_DIGITS = 19


# | Seconds of `lint --isolated` without `--timeout` | {} | ends with what was found, exit code 2 |
ISOLATED_SECONDS = 300

# | Tries of `migrate` to change a document in which some pods cannot be changed | {} | the other pods are refused |
MOST_TRIES_OF_A_DOCUMENT = 64

# | Rounds in which `migrate` refuses what does not build as planned, and builds the rest again | {} | all that is left is refused |
MOST_ROUNDS_OF_BUILDS = 12

# | Tries of `migrate` with switches in charts; a switch whose proof fails is left out of the next | {} | no chart gets a switch |
MOST_TRIES_OF_SWITCHES = 8

# | Objects of Flux and Argo CD whose folders `migrate` builds | {} | the folders of the others are built without them |
MOST_BUILDERS = 1_000

# | Manifests below a folder without a kustomization that Flux or Argo CD builds | {} | the rest is not among them |
MOST_FILES_BELOW = 10_000

# | Files of a tree that `migrate --plan` copies to make its stages in the copy | {} | the run says so, and names no stages |
MOST_FILES_COPIED = 20_000

# | Charts and releases that `migrate --build-with` renders | {} in a run | the report says so, and no values are proven |
MOST_RENDERED = 200

# | Findings beside unknown values that are tried with other values | {} in a run | not reported |
MOST_TRIED = 50

# | Builds that patch claims, or give releases their values | {} in a run | other objects are judged as they are written |
MOST_OVERLAYS = 200

# | Charts that `migrate` reads outside of the given folders | {} | the others are not known |
MOST_CHARTS_OUTSIDE = 50

# | Templates of such a chart | {} | the others are not read |
MOST_TEMPLATES_OUTSIDE = 500

# | A file of such a chart | {} | not read |
MOST_BYTES_OUTSIDE = 4 * 1024 * 1024

# | Charts within one another whose values `migrate` tells apart | {} | values for charts further down are refused |
MOST_CHARTS_WITHIN = 3

# | Named templates within one another in which `migrate` looks for computed names | {} | the name counts as computed |
MOST_HELPERS_WITHIN = 4

# | Levels of plain data in which `migrate` looks for texts and keys that name devices | {} | not found |
MOST_LEVELS_OF_NAMES = 128

# | Levels of an object or of values, and of the schema of a kind, in which `migrate` looks for pods | {} | not found |
MOST_LEVELS = 40

# | Levels of a patch in which `migrate` looks for requests | {} | they stay, and the build shows them |
MOST_LEVELS_OF_PATCHES = 128

# | Levels of data, and of YAML in its texts, in which `migrate` looks for settings of device plugins | {} | not found |
MOST_LEVELS_OF_SETTINGS = 24

# | Objects that build one another, above a file | {} | the cluster of the file is not known |
MOST_BUILDERS_ABOVE = 20

# | A file that `migrate --in-place` compares with its commit | {} | counts as changed |
MOST_COMMITTED = 64 * 1024 * 1024

# A file that more builds take in is known to be shared, and no more: work stays linear, however many overlays one
# base has.
# | Builds that use one file | {} | dradsl assumes that anything may be built from it |
MOST_BUILDS_OF_A_FILE = 32

# | References of a release to values | {} | its values are not known as a whole |
MOST_REFERENCES = 100

# Kubernetes supports 150,000 in a cluster.
# | Pods that `dradsl simulate` places | {} in a run | the answer is `unknown` |
MOST_PODS = 100_000
