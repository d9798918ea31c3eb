#!/bin/sh
# Writes releases/RELEASE.mod for a pre-release of which only staging modules are published.
# usage: ./pin-preview.sh 1.38 v0.38.0-alpha.2 MODULE=VERSION ...   (release, staging modules, and others
# that are replaced, because the version that upstream names cannot be had)
set -eu
release=$1 staging=$2
shift 2
cd "$(dirname "$0")"
mod=$(go mod download -json "k8s.io/apiserver@$staging" | sed -n 's/.*"GoMod": "\(.*\)",*/\1/p')
{
    echo "module dradsl.dev/oracle"
    echo
    sed -n 's/^go \(.*\)/go \1/p' "$mod"
    echo
    echo "require k8s.io/apiserver $staging"
    for other in "$@"; do
        echo
        echo "replace ${other%%=*} => ${other%%=*} ${other#*=}"
    done
} >"releases/$release.mod"
rm -f "releases/$release.sum"
go list -mod=mod -modfile="releases/$release.mod" -deps main.go scalars.go cel_admission.go cel_preview.go >/dev/null
