"""The words of messages that the tests of several files recognize: the one place to change when a message is reworded.

Import a name from here instead of writing its words down again; `test_messages` fails otherwise. A test that needs no
words asserts the type, path, line and names of an error instead.
"""

from __future__ import annotations

# ---- files and folders -----------------------------------------------------------------------------------------------

BOTH_INPUT_AND_OUTPUT = "is both an input and an output of this run"
CANNOT_READ_OR_WRITE = "cannot read or write"
CANNOT_WRITE_LOG = "cannot write the log to"
NOT_UTF8 = "is not UTF-8 text:"
CUT_SHORT = "cannot be read to its end"
EXPECTED_ENDING = "expected a file that ends in"
GIVEN_TO_TWO_FILES = "is given to two files"
NOT_A_RESULT_OF_FW = "is not a result of fw"
NOT_THE_EXPECTED_FILE = "is not the expected file: it has"
NOT_UTF8_BUT = "is not UTF-8 text but"
CONVERT_TO_UTF8 = "convert it to UTF-8, as in iconv"
SAME_NUMBER_OF_LINES = "all files must have the same number of lines"

# ---- rows and fields -------------------------------------------------------------------------------------------------

COUNT_AS_TWO = "and count as two"
DIFFERS_ONLY_IN_CASE = "which differs only in case or spaces"
DIFFER_IN_INVISIBLE_CHARACTERS = "case, spaces or invisible characters"
DUPLICATE_OUTPUT = "duplicate output of system"
IDS_IN_ALL_OR_NONE = "must be in all rows or in none; the first row has"
IDS_RESTART_IN_EACH_DATA_SET = "if ids restart in each data set, use"
LAZY_FRAME = "is a lazy frame of"
LEFT_OUT_COLUMN = "Left out: the column"
LEFT_OUT_ROWS = "left out: rows that do not count"
LIST_WRITTEN_AS_TEXT = "is a list written as text"
NUMBERED_IF_OF_ONE_SYSTEM = "rows are numbered only if all rows of a file are of one system"
NOT_A_JSON_OBJECT = "must be a JSON object, got"
NOT_A_NUMBER = "must be a finite number, null, or a list or object of these, got"
POOLED = "raters of the same inputs are pooled"
IS_NULL = "is null"
NOT_TEXT = "not a text"
NOT_A_TEXT = "must be a text (a string or a list of strings), got"
NO_ID = "rows need an id"
NOT_AN_ID = "must be a non-empty string or an integer"
NEEDS_ROWS = "needs rows with columns"
NO_OUTPUTS = "there are no outputs to evaluate: the lists are empty"
NO_OUTPUT_HAS_THE_FIELD = "no output has the field"
NUMBERED_OR_NONE = "references must all be numbered or none"
ONE_ENTRY_FOR_EACH_OUTPUT = "must be a list with one entry for each output"
SAME_FOR_ALL_OUTPUTS = "if all outputs have the same"
EQUAL_TO_REFERENCE_1 = "equal to reference 1"
TOKENIZED_PERIOD = "outputs that end in a tokenized period"
TABLE_OR_ROWS = "must be a table or rows"
UNITS_OF_THE_PYRAMID = "must be content units of the pyramid"
XML_INVALID = "is not valid XML"
XML_TEXT_AMONG_ELEMENTS = "has text where only elements are allowed"

# ---- options and names -----------------------------------------------------------------------------------------------

EXPECTED_CONFIDENCE = "a fraction (0.95) or in percent (95)"
EXPECTED_OPTION = "options must have the form option=value"
FOR_WORDS_IN_AN_ORDER = "for words in an order, use"
LABELLED_THE_SAME = "two metrics of this run are labelled"
ARE_LISTED_BY = "All are listed by:"
NEEDS_ITS_MANIFEST = "a data set needs its manifest"
NEEDS_A_MODEL = "needs a model: set 'model' to a local folder"
HAS_LAYERS_FROM_1_TO = "has the layers 1 to"
NO_LAYER = "there is no layer"
REGISTERED_TWICE = "is registered twice, by"
SCORE_WITH_A_LABEL = "score with a label: fw score --metric NAME:label=OTHER"
SET_UP_WITH = "set it up with"
DATA_SET_OR_TEST_SET = "data set or test set"

# ---- programs and metrics --------------------------------------------------------------------------------------------

ASKED_FOR_NOTHING = "printed a line that was not asked for"
DID_NOT_END = "did not end after"
END_OF_STANDARD_ERROR = "the end of its standard error:"
FAILED_WITH_EXIT_CODE = "failed with exit code"
NOTHING_TO_STANDARD_ERROR = "it printed nothing to standard error"
NO_QUESTIONS = "no questions about the reference"
ONE_RESULT_FOR_EACH_SUMMARY = "must return one result for each summary"
LIKE_EMPTY_TEXTS = "like those of empty texts, the scores are"
DROPS_ALL_CHARACTERS = "drops all characters of"
SCORES_OF_EMPTY_TEXTS = "the scores of empty texts are"
TEXT_TOO_LONG = "longer than the model allows; the end of such a text is ignored"

# ---- statistics ------------------------------------------------------------------------------------------------------

CANNOT_BE_SIGNIFICANT = "trials cannot be significant at"
EXACT_TEST = "exact paired randomization test"
FORMS_NEED_TWO_OUTPUTS = "forms 2 and 3 need two outputs that all raters rated"
INTERVALS_TOO_SHORT = "too short at the"
MEAN_HAS_NO_MEANING = "whose mean has no meaning"
NEEDS_RESAMPLES = "interval needs at least"
NEEDS_TWO_RATERS = "needs two raters, got"
NO_BETTER_THAN_CHANCE = "no better than chance"
FIRST_WITHOUT_SCORE = "the first answer without a score is"
IS_THE_ONLY_SYSTEM = "is the only system"
NEGATED_BY_RANKING = "which this ranking negates"
ONE_INPUT_ONLY = "has outputs for one"
OPPOSITE_ORDER = "in the opposite order"
SIGNED_AS_COMPUTED = "signed as computed, no score was negated"
OUTPUTS_FOR_FEWER_INPUTS = "outputs for fewer than"

# ---- scores that outputs do not have, and comparisons ----------------------------------------------------------------

DIFFERENT_INPUTS = "outputs for different inputs"
DIRECTION_IS_UNKNOWN = "is unknown, so that systems are not ranked"
NOT_COMPARED = "not compared: they share no input"
UNDEFINED_FOR_ALL = "is undefined for all"
UNEQUAL_SHARES = "the share of outputs without a score differs between systems, from"

# ---- long texts and caches -------------------------------------------------------------------------------------------

AS_ONE_SENTENCE_EACH = "as one sentence each"
CANNOT_USE_THE_CACHE = "cannot use the cache"
COMPARES_A_LONG_TEXT = "compares a text of"
