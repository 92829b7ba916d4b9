"""Variational inference: local step, global step, and the loop that takes them in turn."""
