"""Logs of Pearmut, with which campaigns collect scores and error spans of several systems on a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from metrics_framework.common.errors import DataError, Problems, counted
from metrics_framework.common.overriding import overrides
from metrics_framework.inputs.pearmut import KINDS, Page, Resets, is_pearmut, pages, ratings_of
from metrics_framework.io.jsonl import read_jsonl
from metrics_framework.io.reading import stem
from metrics_framework.meta_evaluation.ratings.campaign import Campaign, checked_score, checked_spans, domain_in
from metrics_framework.meta_evaluation.ratings.rating_format import Rating, RatingFormat


@RatingFormat.register("pearmut")
class Pearmut(Campaign):
    """Reads logs of Pearmut: the downloaded annotations.json of campaigns, or the CAMPAIGN.jsonl of a server.

    Rows have the fields of ``esa``, ``language_pair``, the name of the campaign, ``document`` and ``segment``,
    ``domain``, if ids are DOMAIN_###_DOCUMENT_###_NUMBER, the source, the output, and as references the human
    translations, so that metrics score the same rows. The score of an output without one is the mean of its sliders,
    which are separate scores, too. What is no rating of an output is left out, and counted by kind: pages that the
    rater reset, forms, pages of welcome, at random places and of goodbye, skipped pages, and ratings of tutorials and
    attention checks, and those replaced later.

    Args:
        resets: Whose earlier pages a reset cancels: those of the same ``user``, or of all users of the ``campaign``, as
            WMT's script does.
    """

    kinds: ClassVar[Sequence[str]] = KINDS

    def __init__(self, resets: Resets = "user", **options: Any) -> None:
        super().__init__(**options)
        self.resets = resets
        self.unscored = 0

    @overrides
    def notes(self) -> Sequence[str]:
        return [*super().notes(), *([f"{counted(self.unscored, 'rating')} without a score"] if self.unscored else [])]

    @overrides
    def ratings(self, path: str, problems: Problems) -> Iterator[Rating]:
        rows = [*read_jsonl(path, problems)]
        for line, row in rows:
            if not is_pearmut(row):
                raise DataError("is no entry of a log of Pearmut, with annotation, item and user_id", path, line)
        for page in pages(rows, self.resets):
            if "reset" not in page.kinds:
                given = page.entry.get("validations") or ()
                self.checks += [(str(page.entry["user_id"]), bool(one)) for one in given]
            kind = self.left_out_as(page.kinds)
            if kind:
                self.dropped[kind] += 1
                continue
            with problems.at(path, page.line):
                yield from self._ratings(page, path)

    def _ratings(self, page: Page, path: str) -> Iterator[Rating]:
        pair = (page.campaign or stem(path)).replace("---", "-")
        for one in ratings_of(page, path):
            of_output = (str(page.entry["user_id"]), one.model, pair, *one.document())
            kind = self.left_out_as(one.kinds)
            if kind:
                yield Rating(kind, *of_output, {}, ())
                continue
            scores = {name: checked_score(score, name) for name, score in one.scores().items()}
            scores = {"esa": scores.pop("score"), **scores}
            self.unscored += math.isnan(scores["esa"])
            spans = checked_spans(one.rating.get("error_spans"), "error_spans")
            about = {"source": str(one.item["src"]), "summary": str(one.item["tgt"].get(one.model, ""))}
            about = {**domain_in(of_output[3]), **about}
            yield Rating("", *of_output, scores, spans, about=about, seconds=page.seconds())
