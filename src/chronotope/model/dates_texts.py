"""What a model says about dates: the methods of the estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from chronotope.corpus import Corpus
from chronotope.corpus.settling import settled
from chronotope.dating import Dated, Dating
from chronotope.model.dating import check_dating, date_errors, dated, dated_by_others, learned_dating
from chronotope.model.inputs import holds_texts, known_corpus
from chronotope.model.runtime import compiled_loops
from chronotope.model.undated import undated_corpus
from chronotope.topics import Topics


class DatesTexts:
    """A model that can learn when texts were written."""

    topics_: Topics
    dating_: Dating
    n_threads: int | None
    verbose: bool | None

    def learn_dating(self, X: Any, times: Any = None) -> Self:
        """Learn to say when undated texts were written, from the documents that the model was fitted on.

        X, times : these documents, as in `fit`

        It takes about half as long as the fit, and the model's file then holds tables of the vocabulary over time. The
        kinds of evidence, topics and single words, are weighed on documents that a shorter fit has not seen.
        """
        check_is_fitted(self)
        with compiled_loops(self.n_threads, self.verbose):
            self.dating_ = learned_dating(self, settled(known_corpus(self, X, times)))
        return self

    def date(self, X: Any, *, level: float = 0.8, fitted: bool = False) -> Dated:
        """When documents were written, from their words, after `learn_dating`.

        X : raw texts, or counts (D, V), or a Corpus, whose exact dates are not looked at; a rough one limits the answer
        level : float, default 0.8; probability with which an interval holds the date
        fitted : bool, default False; whether X is the Corpus that the model was fitted on. Those of its documents whose
            dates are rough are then dated by topics that have seen the others alone, in a shorter fit

        Returns a Dated: its `table` has the most probable date and an interval for each document, `curve` the whole
        distribution, and `why` the words that say most for a date.
        """
        check_is_fitted(self)
        check_dating(self)
        if isinstance(X, Corpus):
            found = known_corpus(self, X, None)
        elif holds_texts(X):
            found = undated_corpus(self, X)
        else:
            found = known_corpus(self, X, np.full(X.shape[0], self.topics_.span[1]))
        with compiled_loops(self.n_threads, self.verbose):
            return dated_by_others(self, settled(found), level) if fitted else dated(self, found, level)

    def check_dates(self, X: Any, times: Any = None, *, level: float = 0.8, folds: int = 4) -> pd.DataFrame:
        """Documents whose given dates are hard to believe, as errors in a catalogue, after `learn_dating`.

        X, times : the documents that the model was fitted on, as in `fit`
        level : float, default 0.8; probability with which an interval holds the date
        folds : int, default 4; parts of the documents, each dated by what the others say: a shorter fit for each

        Returns a table with one row per document with an exact date, the most surprising first:
        id, given : its name and its date;  surprise : log-probability of the most probable date, less that of the given
        date, low, high, beyond : what the model believes instead, as in `Dated.intervals`
        """
        check_is_fitted(self)
        check_dating(self)
        if not folds >= 2:
            raise ValueError(f"folds is {folds}; expected at least 2 parts.")
        with compiled_loops(self.n_threads, self.verbose):
            return date_errors(self, settled(known_corpus(self, X, times)), level, folds)
