"""Family 3, how many devices: what a claim asks for beyond any limit, and what All takes."""
