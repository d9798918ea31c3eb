#!/bin/sh
# Helm 3: helm upgrade --install my-release my-chart --post-renderer ./dradsl-post-render.sh
#
# Helm gives the rendered manifests on standard input and installs what comes back. A use that is
# rejected ends with exit code 1, and the release fails instead of running without devices; Helm shows
# the report. Further options come with --post-renderer-args, such as
# --post-renderer-args=--answers=answers.yaml.
#
# Helm 3 keeps hooks back: a Job that is a hook and asks for devices stays as it is. Helm 4 migrates
# it too.
exec dradsl migrate --post-render ${DRADSL_ANSWERS:+--answers "$DRADSL_ANSWERS"} "$@"
