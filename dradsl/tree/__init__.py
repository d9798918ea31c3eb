"""Files as people keep them: what is written where, what is built of it together, and which of its values are unknown.

Private: names may change in any version.
"""
