"""Texts as an editor has them: positions, open buffers, and what is at a place, readable or not."""
