"""Chronotope beside its peers: the same counts, the same evaluator, one run.  `python -m benchmarks --help`"""
