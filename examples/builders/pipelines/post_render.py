"""A post-renderer for Helm: adds the objects of the app to what the chart renders.

    helm install llm ./chart --post-renderer ./post_render.py

Helm gives the rendered manifests on standard input and takes the final ones from standard output.
"""

import sys

from training_pair import app as dra

from dradsl import from_yaml


def main() -> None:
    """Print the chart's manifests and then those of the app, which must not be there twice."""
    rendered = sys.stdin.read()
    there = {obj.key for obj in from_yaml(rendered)}
    sys.stdout.write(rendered.rstrip() + "\n")
    for obj in dra.objects:
        if obj.key not in there:
            sys.stdout.write("---\n" + obj.to_yaml())


if __name__ == "__main__":
    main()
