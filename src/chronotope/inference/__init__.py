"""Variational inference: the local step, the global step, and the loop that alternates them."""
