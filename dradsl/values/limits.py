"""The limits of what an input may hold or produce. Each has the row of docs/limits.md above it.

A row has what is limited and what happens beyond it. `{}` is the number. Only numbers are here, so that a
command which needs one loads no text.
"""

from __future__ import annotations

# The largest public kustomizations have some hundred objects.
# | Objects of one build of Kustomize, Flux or Argo CD | {} | not built: lint says so in a note, `migrate` rejects what is built of it |
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
# | Objects of a recording | {} | rejected |
MOST_RECORDED = 500_000

# | Replicas that `simulate --fit` counts without `--replicas` | {} | the count ends, and the answer says so |
REPLICAS_THAT_FIT = 1_000

# The recording of 100,000 nodes has 10,000,000.
# | Mappings and lists of a recording in JSON | {} | rejected |
MOST_BRACKETS = 16_000_000

# Those of an int64. Python itself reads at most 4,300.
# | Digits of a number in a text, such as a count or a weight | {} | it is no number |
MOST_DIGITS = 19


# | Seconds of `lint --isolated` without `--timeout` | {} | ends with what was found, exit code 2 |
ISOLATED_SECONDS = 300

# | Tries of `migrate` to change a document in which some pods cannot be changed | {} | the other pods are rejected |
MOST_TRIES_OF_A_DOCUMENT = 64

# | Rounds in which `migrate` rejects what does not build as planned, and builds the rest again | {} | all that is left is rejected |
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

# | Charts within one another whose values `migrate` tells apart | {} | values for charts further down are rejected |
MOST_CHARTS_WITHIN = 3

# | Named templates within one another in which `migrate` looks for computed names | {} | the name counts as computed |
MOST_HELPERS_WITHIN = 4

# | Levels of plain data in which `migrate` looks for texts and keys that name devices | {} | not found |
MOST_LEVELS_OF_NAMES = 128

# | Levels of an object or of values, and of the schema of a kind, in which dradsl looks for pods and claims | {} | not found |
MOST_LEVELS = 40

# | Levels of a patch in which `migrate` looks for requests | {} | they stay, and the build shows them |
MOST_LEVELS_OF_PATCHES = 128

# | Levels of data, and of YAML in its texts, in which `migrate` looks for settings of device plugins | {} | not found |
MOST_LEVELS_OF_SETTINGS = 24

# | Objects that build one another, above a file | {} | the cluster of the file is not known |
MOST_BUILDERS_ABOVE = 20

# | A file that `migrate --write` compares with its commit | {} | counts as changed |
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

# | Rules of your own in a file | {} | rejected |
MOST_TEAM_RULES = 200
# | Examples of such a rule that pass, and that fail | {} each | rejected |
MOST_EXAMPLES = 50
# | Characters of a text of such a rule | {} | rejected |
LONGEST_RULE_TEXT = 2_000
# | Characters of the expression of such a rule | {} | rejected |
LONGEST_RULE_EXPRESSION = 10 * 1024
# | Rounds of `lint --fix`: more than any chain known | {} | what is left is reported |
ROUNDS_OF_FIXES = 10
# | Errors of the type checker that are reported for one expression | {} | the others are not reported |
MOST_ISSUES = 16
# | Characters of a document that is no YAML, for which lint looks for repairs | {} | what is wrong besides is not said |
LONGEST_REPAIRED = 50_000
# | Repairs of such a document | {} | what is wrong besides is not said |
ROUNDS_OF_REPAIRS = 8
# | Lines above a mistake in which lint looks for an open quote | {} | the quote is not closed |
LINES_OF_A_QUOTE = 40
# | Rounds in which lint fixes shapes in memory, to look behind them | {} | what is behind the rest is not looked at |
ROUNDS_OF_SHAPE_FIXES = 5
# | Words of a text that took another's place, of which lint finds where they stood | {} | what is said of them is at the start of the text |
WORDS_PLACED = 1000
# | Rounds in which lint writes an expression anew, one mistake after the other | {} | the rest stays as it is written |
ROUNDS_OF_EXPRESSIONS = 5
# | Rounds in which lint writes parameters of a driver anew, one mistake after the other | {} | the rest stays as it is written |
ROUNDS_OF_PARAMETERS = 12
# | Rounds in which lint gives unknown values the type that the API server asks for | {} | what is below them is not judged |
ROUNDS_OF_PARTS = 4
# | Files of a call for which lint builds what is around them | {} | what is around them is not built |
MOST_ALONE = 20
# | Objects of one name that are equally near to a reference | {} | no finding about their contents |
MOST_EQUALLY_NEAR = 20
# | Names with unknown parts, of objects of one kind | {} | any name may be one of them |
MOST_UNKNOWN_NAMES = 200
# | Different sets of values that builds give an object | {} | the values are not known |
MOST_WORLDS = 8
# | Targets of the patches in one file | {} | nothing is said of what more of them share |
MOST_TARGETS = 100
# | Characters of a text with manifests in it | {} | findings in it get the place of the text |
LONGEST_MAPPED = 1024 * 1024

# | Lines of a `.gitignore` with wildcards or slashes, besides names and endings such as `*.log` | {} | it ignores nothing, and a note says so |
MOST_WILDCARDS = 2_000
# | Characters of a path in git, of a line of a `.gitignore`, of a pattern of Kustomize | {} | no path or pattern; the kustomization is not built |
LONGEST_PATH = 4_096
# | Actions in a template of Helm whose plain parts are judged | {} | not judged |
MOST_TEMPLATE_ACTIONS = 5_000
# | Text that the values of a chart put into one template: a million characters | {} | they are not put in |
LONGEST_OF_VALUES = 1024 * 1024
# | The index of a git repository: a million files | {} | no file counts as tracked |
LARGEST_INDEX = 128 * 1024 * 1024
# | All names in an index: those of version 4 share their beginnings | {} | the same |
MOST_INDEX_NAMES = 64 * 1024 * 1024
# | Bytes of a file `.git` that names a folder | {} | no work tree |
LARGEST_GIT_FILE = 64 * 1024
# | A folder of a commit, as git stores it: more than a million entries | {} | an error of `--since` |
LARGEST_GIT_TREE = 64 * 1024 * 1024
# | Seconds that `--since` waits for an answer of git | {} | an error |
SECONDS_OF_GIT = 60.0
# | Links to links in a commit | {} | not followed |
MOST_GIT_LINKS = 8
# | Git work trees, one in the other, in which `--since` looks for a file | {} | not looked into |
MOST_WORK_TREES = 16
# | Folders of a commit in which `--since` looks for files that have another name now | {} | not looked into |
MOST_COMMITTED_FILES = 20_000
# | Files of a commit that are gone, and may have another name now | {} | the others count as deleted |
MOST_GONE = 2_000

# | Folders around a run in which kustomizations are looked for | {} | the rest is not known |
MOST_FOLDERS_AROUND = 20_000
# | Files around a run that are read | {} | the rest is not known |
MOST_FILES_AROUND = 20_000
# | All files around a run that are read | {} | the rest is not known |
MOST_BYTES_AROUND = 256 * 1024 * 1024
# | One of these files | {} | not read |
LARGEST_FILE_AROUND = 4 * 1024 * 1024
# | Kustomizations, one in the other, whose patches are looked at | {} | the others are not |
MOST_KUSTOMIZATIONS_AROUND = 100
# | Kustomizations, one in the other, and steps of a path in a patch | {} | not built |
MOST_KUSTOMIZATION_LEVELS = 64
# | A file that a kustomization takes in | {} | not built |
LARGEST_BUILT_FILE = 16 * 1024 * 1024
# | All files that the builds of a run take in | {} | not built |
MOST_BUILT_BYTES = 1024 * 1024 * 1024
# | Sources of an Application of Argo CD | {} | the others are not known |
MOST_SOURCES = 100
# | Applications of an ApplicationSet | {} | the others are not built |
MOST_APPLICATIONS = 2_000
# | Folders in which an ApplicationSet looks | {} | its applications are not known |
MOST_FOLDERS_OF_A_SET = 20_000
# | Files of a folder that Argo CD applies as they are | {} | the others are not among them |
MOST_FILES_OF_AN_APPLICATION = 2_000
# | Files below a folder without a kustomization that Flux builds | {} | not built |
MOST_FILES_OF_FLUX = 10_000
# | Builds that give one object of Flux | {} | what it builds is not known |
MOST_BUILDS_ABOVE = 4
# | Builds of Flux, one of the other | {} | not built |
LEVELS_OF_BUILDS = 8
# | Variables in the defaults of variables | {} | the text is not known |
LEVELS_OF_DEFAULTS = 8
# | Characters of a text with variables | {} | the variables stay |
LONGEST_WITH_VARIABLES = 64 * 1024
# | Files of values that objects name | {} | nothing is said of any |
MOST_VALUES_FILES = 1_000
# | Index of a list in `--set` and parameters of Argo CD, as in Helm | {} | the values are not known |
MOST_LIST_INDEX = 65_536
# | Charts within one another whose values lint knows | {} | values further down are not read |
LEVELS_OF_SUBCHARTS = 2

# | Kustomizations that a build of `--build-with` takes in | {} | a note says that it was not built |
MOST_COPIED_KUSTOMIZATIONS = 2_000
# | Files of such a build | {} | the same |
MOST_COPIED_FILES = 20_000
# | All files of such a build | {} | the same |
MOST_COPIED_BYTES = 256 * 1024 * 1024
# | Charts of such a build | {} | the same |
MOST_CHARTS_OF_A_BUILD = 200
# | Files of a chart that `--build-with` renders | {} | a note says that it was not rendered |
MOST_CHART_FILES = 5_000
# | Such a chart, also unpacked | {} | the same |
LARGEST_CHART = 64 * 1024 * 1024
# | Charts within such a chart, one in the other | {} | the same |
LEVELS_OF_CHARTS = 8
# | Releases of Flux and Argo CD that lint looks at with `--build-with` | {} | a note says so |
MOST_RENDERED_RELEASES = 300
# | Kustomizations that lint builds with `--build-with` | {} | the others are not |
MOST_RENDERED_KUSTOMIZATIONS = 1_000
# | Calls of programs of `--build-with` in a run | {} | a note says what was not rendered |
MOST_CALLS = 500
# | Seconds of such a call | {}, and 300 in all | the same |
SECONDS_OF_A_PROGRAM = 30.0
# | Output of such a call | {} | the same |
MOST_OUTPUT = 32 * 1024 * 1024
# | Memory of such a program, on Linux | {} | the same |
MOST_MEMORY = 4 * 1024 * 1024 * 1024
# | Recorded devices that the editor matches | {} | the others are not matched, and a note says so |
MOST_MATCHED_DEVICES = 20_000
# | Variables of CEL, one for the other, that the editor looks through | {} | no answer |
STEPS_TO_A_LOOKUP = 16
# | Characters of a constant part of a selector that lint computes | {} | the part is not known: lint says less |
LONGEST_CONSTANT = 2_000
# | Mistakes of a selector hidden behind one another | {} | the next one shows after a fix |
ROUNDS_OF_MISTAKES = 4
# | Quotas of one class or resource in one namespace | {} | the others are not compared with claims |
MOST_QUOTAS = 20
# | Kinds of nodes that lint tries for what nearly fits | {} | no more are tried; whether the claim can be met is still known |
MOST_NEAR_NODES = 4
# | Different pods that lint places on the recorded nodes | {} | the others are not tried |
MOST_TRIED_PODS = 200
# | Characters of an API group that lint compares with a known one | {} | no group is suggested |
LONGEST_GROUP = 100
# | Missing names of a run for which lint looks for similar ones | {} | the others are reported without a suggestion |
MOST_MISSING_NAMES = 20
