"""acc_23, the pairwise accuracy of outputs with a given ε."""

from __future__ import annotations

from typing import ClassVar

from metrics_framework.meta_evaluation.coefficients.coefficient import Coefficient
from metrics_framework.meta_evaluation.coefficients.given_epsilon import GivenEpsilon
from metrics_framework.meta_evaluation.coefficients.kendall import Accuracy


@Coefficient.register("acc-23")
class Acc23(GivenEpsilon, Accuracy):
    """acc_23 = (C + T_hm)/T, of concordant pairs, pairs tied in both scores, and all, with a given ε (by default 0).

    Source: Deutsch, Foster and Freitag (2023), "Ties Matter".
    """

    title = "acc_23"
    uses: ClassVar[frozenset[str]] = frozenset({"epsilon"})
