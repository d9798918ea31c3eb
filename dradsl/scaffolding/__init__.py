"""Claims from recipes: what `dradsl new` writes, and what it changes in a workload.

A scaffold is what generators of projects call the files that they write to start with. The recipes of
`dradsl migrate` are another thing: they say where charts hold device requests (`tree/charts/recipes.py`).
Private: names may change in any version.
"""
