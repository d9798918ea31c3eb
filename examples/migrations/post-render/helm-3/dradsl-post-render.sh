#!/bin/sh
# Helm 3: helm upgrade --install my-release my-chart --post-renderer ./dradsl-post-render.sh
#
# Helm gives the rendered manifests on standard input and installs what comes back. A use that is
# refused ends with exit code 1, and the release fails instead of running without devices.
exec dradsl migrate --post-render ${DRADSL_ANSWERS:+--answers "$DRADSL_ANSWERS"}
