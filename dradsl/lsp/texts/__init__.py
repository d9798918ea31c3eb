"""Texts as an editor has them: positions, open buffers, and what stands at a place, readable or not."""
