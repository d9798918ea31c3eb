"""Apps handed to other tools: charts of Helm, cdk8s, Pulumi; each module needs its tool."""
