"""The types of texts under the names that metrics for SacreROUGE import; all are a string or a list of sentences."""

from metrics_framework.data.texts import Text

SummaryType = Text
ReferenceType = Text
DocumentType = Text
