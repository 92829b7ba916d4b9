"""How good a model is: held-out perplexity, and what else can be measured of topics."""

from chronotope.evaluate.completion import check_weights, completion_scores, perplexity, split_tokens

__all__ = ["check_weights", "completion_scores", "perplexity", "split_tokens"]
