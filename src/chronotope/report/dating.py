"""What a page needs to date texts by their words: two tables of words, a byte for each number.

    log p(t_c | text) = Σ_v log2(1 + n_v) U_v(t_c) + Σ_v x_v W_v(t_c) + line + β log prior(t_c) + const

U is Σ β log p_v of all kinds of usage, and W is Σ β of the weights of all regressions. What is the same at all times
cancels, so both are exact but for their rounding: the least value of a word, and the normaliser of a regression, since
the parts of bins that a time is between sum to 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope._typing import Floats, Ints
from chronotope.corpus.align import preparation
from chronotope.dating.words import CURVES, LINE_WIDTH, between
from chronotope.report.encode import bytes_to_base64, json_for_html, significant
from chronotope.text.languages import contractions
from chronotope.text.phrases import JOINER

if TYPE_CHECKING:
    from chronotope.dating.words import WordDates
    from chronotope.model import DynamicTopicModel

NODES = 128  # maximum number of times of the table of usage; it is linear between them
LEVELS = (0.5, 0.8, 0.95)  # of the intervals
STEPS = 255


def dating_data(model: DynamicTopicModel, listed: Ints) -> dict[str, Any]:
    """Tables of the report's words, by the names that the scripts of the page use.

    listed : (L,) columns of the words, in the report's order
    """
    words, weighing = model.dating_.words, model.dating_.without_topics
    beta = {kind: weighing.beta[[i for i, one in enumerate(CURVES[1:]) if one == kind]] for kind in CURVES[1:]}
    nodes, usage = usage_at_nodes(words, beta["usage"], listed)
    classes = np.tensordot(beta["regression"], words.classes, 1)  # (V + 1, B)
    return {
        "nodes": significant(nodes, 10),
        "usage": encoded_rows(usage),
        "bins": significant(words.bins, 10),
        "classes": encoded_rows(classes[listed]),
        "intercepts": significant(classes[-1], 6),
        "idf": bytes_to_base64(words.idf[listed].astype(np.float32)),
        "line": bytes_to_base64(words.line[listed].astype(np.float32)),
        "start": float(words.line[-1]),
        "width": LINE_WIDTH * words.span,
        "beta": {kind: float(beta[kind].sum()) for kind in ("line", "prior")},
        "prior": significant(words.prior, 6),
        "levels": [(f"{level:.0%}", weighing.level(level)) for level in LEVELS],
        "tokens": token_rules(model, listed),
    }


def usage_at_nodes(words: WordDates, beta: Floats, listed: Ints) -> tuple[Floats, Floats]:
    """Some of the candidate times, (J,), and Σ β log p_v there, (L, J), linear between them.

    With fewer nodes than times, the values are those whose lines come closest to the table, by least squares.
    """
    table = sum(part * each[:, listed] for part, each in zip(beta, words.tables, strict=True))  # (C, L)
    assert isinstance(table, np.ndarray)
    nodes = words.times[np.unique(np.linspace(0, len(words.times) - 1, NODES).round().astype(int))]
    if len(nodes) == len(words.times):
        return nodes, table.T
    parts = between(np.eye(len(nodes)), nodes, words.times).T  # (C, J), of each node at each time
    fitted = np.asarray(np.linalg.lstsq(parts, table, rcond=None)[0], dtype=np.float64)
    return nodes, fitted.T


def encoded_rows(table: Floats) -> dict[str, str]:
    """Rows of numbers, each less its least one, as bytes times the row's own step.

    q = round((x − min) / step),   step = (max − min) / 255
    """
    least = table.min(axis=1, keepdims=True)
    step = np.maximum((table - least).max(axis=1, keepdims=True) / STEPS, np.finfo(np.float32).tiny)
    q = np.minimum(np.rint((table - least) / step), STEPS).astype(np.uint8)
    return {"table": bytes_to_base64(q), "steps": bytes_to_base64(step.astype(np.float32))}


def token_rules(model: DynamicTopicModel, listed: Ints) -> dict[str, Any]:
    """How texts become words, as far as a script can follow it.

    how : "words", "pairs", or "runs" of letters and digits, in place of a pattern or a function of the user's
    whole : words with an apostrophe that are not split, if the report knows them or their parts
    """
    known = set(map(str, model.topics_.vocabulary[listed]))
    options = preparation(model.preprocessing_, known)
    own = callable(options.tokenizer) or options.token_pattern is not None
    whole = contractions(options.stop_words)
    return {
        "how": "runs" if own else options.tokenizer,
        "lowercase": options.lowercase,
        "lemmatised": options.lemmatize is not None,
        "phrases": bool(options.phrases) and any(JOINER in word for word in known),
        "whole": sorted(word for word in whole if {word, *word.split("'")} & known),
    }


def dating_bytes(data: dict[str, Any]) -> int:
    """Bytes of the file that the page which dates texts takes, 0 without one.   data : of a report"""
    return len(json_for_html(data["dating"]).encode()) if data["dating"] else 0
