#!/bin/sh
# Writes releases/RELEASE.mod: the upstream modules of one Kubernetes release, staging modules included.
# usage: ./pin.sh 1.36 v1.36.4 v0.36.5   (release, k8s.io/kubernetes, its staging modules)
set -eu
release=$1 core=$2 staging=$3
cd "$(dirname "$0")"
mod=$(go mod download -json "k8s.io/kubernetes@$core" | sed -n 's/.*"GoMod": "\(.*\)",*/\1/p')
{
    echo "module dradsl.dev/oracle"
    echo
    sed -n 's/^go \(.*\)/go \1/p' "$mod"
    echo
    echo "require k8s.io/kubernetes $core"
    echo
    echo "replace ("
    sed -n 's/^\t\(k8s\.io\/[a-z-]*\) => \.\/staging.*/\t\1 => \1 '"$staging"'/p' "$mod"
    echo ")"
} >"releases/$release.mod"
rm -f "releases/$release.sum"
# Not "go mod tidy": that would want the files of the other releases to build as well.
go list -mod=mod -modfile="releases/$release.mod" -tags "k8s$(echo "$release" | cut -d. -f1,2 | tr -d .)" -deps . >/dev/null
