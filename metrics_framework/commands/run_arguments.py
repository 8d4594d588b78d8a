"""The arguments of a run: its input, and its confidence intervals and significance tests.

Flags or a configuration select a reader with its files, and how to resample. ``--confidence`` takes an optional level;
a file after it is an argument (decision 0014).
"""

from __future__ import annotations

import argparse
import os
import os.path
import re
import shlex
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

from metrics_framework.commands.arguments import NAMES, Flag, Parser, StoreJoined, cannot_be_file, is_level, is_setting
from metrics_framework.common.errors import DataError, InputError, Problems, UsageError, called, say_taken, similar
from metrics_framework.common.options import assignments_of, build, names_of, options_of, parse_spec
from metrics_framework.data.fields import Duplicates
from metrics_framework.io.locations import PATTERN, exists, expanded, split_name
from metrics_framework.io.reading import STANDARD, stem, uncompressed_name
from metrics_framework.metrics.base.metric import Metric, parse_metric
from metrics_framework.significance.resampling import (
    INTERVAL_METHODS,
    LEVEL,
    METHOD,
    PERCENTILE,
    RESAMPLES,
    SACREBLEU_SEED,
    SEED,
    Resampling,
    resampling_arguments,
)

if TYPE_CHECKING:
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader


NAMING = ("input_files", "references", "documents", "sources", "cluster_file")
"""The flags whose files may name data sets, as names of parsed arguments; those of outputs may name systems."""
INPUT_USAGE = (
    "INPUT [flags]\n"
    "       INPUT: --input-files FILE … | --outputs FILE … (--dataset NAME | --references FILE … [--sources FILE])"
)
"""The end of the usage line of commands that read outputs."""


def _languages(word: str) -> str:
    """Returns the language pair of a word: that of one language has no source."""
    if re.fullmatch("[a-z]{2,3}", word):
        return f"-{word}"
    if not all(word.partition("-")):
        raise argparse.ArgumentTypeError(f"must be SOURCE-TARGET, as in en-de, or one language, as in de, got '{word}'")
    return word


class InputFlags:
    """Flags that select what is scored.

    Args:
        input_files: JSONL, CSV, TSV (also as .gz or .zst) or Parquet files of outputs; - is standard input.
        dataset_reader: The reader of the input files, by name (fw list readers shows all) or as JSON (default:
            default).
        columns: The columns of the input files to read fields from, as in
            summary=generated,references=ref_a+ref_b.
        systems: The columns with the outputs of one system each; the other columns belong to all systems. Of rows with
            one output each, fw visualize and fw write votes read these systems only.
        where: Score only rows with this value in a column, or with another one after !=; repeat for several
            conditions.
        column_names: The names of the columns of tables without a header.
        outputs: Plain-text files of outputs: one file per system, one output per line; NAME= names the system
            (default: the file name).
        dataset: A test set to score --outputs against, line by line, or --input-files, by id: by name (fw list
            datasets shows all) or as a JSONL file; several with commas, for each of which --outputs has NAME=FILE.
        references: Plain-text files of references: one reference per line; several files for several references.
        num_refs: The number of references in each line of the file of references, separated by tabs.
        test_set: With -l: test set of a language pair; --dataset NAME/PAIR is the same.
        language_pair: The languages of the texts, as in en-ja, or that of the outputs, as in ja; selects the tokenizer
            of BLEU for Chinese, Japanese and Korean.
        origlang: Score only the rows of a test set with this original language; non-LANGUAGE scores all others.
        sources: A plain-text file of sources: one source per line.
        documents: Plain-text files of documents to summarize: one document per line; several files for several
            documents.
        duplicates: What to do if a system has several outputs for one input.
        no_checks: Do not check texts for mistakes, such as empty, shifted or escaped outputs (--strict makes them
            errors).
    """

    input_files = Flag("--input-file", nargs="+", metavar="FILE")
    dataset_reader = Flag(metavar="READER")
    columns = Flag(action="append", metavar="FIELD=COLUMN,…")
    systems = Flag(dest="output_columns", **NAMES, metavar="COLUMN")
    where = Flag(action="append", metavar="COLUMN=VALUE")
    column_names = Flag(nargs="+", metavar="COLUMN")
    outputs = Flag("-i", "--input", nargs="+", metavar="[NAME=]FILE")
    dataset = Flag(action=StoreJoined, metavar="NAME")
    references = Flag("-r", "--reference-files", nargs="+", metavar="FILE")
    num_refs = Flag("-nr", type=int, metavar="N", implied=1)
    test_set = Flag("-t", metavar="NAME")
    language_pair = Flag("-l", type=_languages, metavar="PAIR")
    origlang = Flag("-ol", metavar="LANGUAGE")
    sources = Flag("--source-file", action=StoreJoined, metavar="FILE")
    documents = Flag(nargs="+", metavar="FILE")
    duplicates = Flag(choices=get_args(Duplicates), default="error")
    no_checks = Flag(action="store_true")


def add_input_arguments(parser: Parser) -> argparse._ArgumentGroup:
    """Adds the input flags, which `reader_and_files` interprets, and returns their group."""
    group = parser.add_argument_group("input")
    parser.add_flags(group, InputFlags)
    parser.list_flags |= {"--dataset": cannot_be_file, "--where": is_setting, "--columns": is_setting}
    parser.list_flags |= dict.fromkeys(("--sources", "--source-file"), lambda word: "=" in word and not exists(word))
    return group


def take_systems(arguments: argparse.Namespace) -> None:
    """Reads ``--systems`` as names of systems, unless the first row has columns of these names."""
    from metrics_framework.inputs.rows import read_rows  # spares the help its modules

    arguments.systems = arguments.output_columns or []
    files = [file for file in arguments.input_files or () if os.path.isfile(file)]
    columns = next(read_rows(files[0], Problems()), (0, {}))[1] if arguments.systems and files else {}
    if not {*arguments.systems} <= columns.keys():
        arguments.output_columns = None


def specs_of(word: str) -> list[str]:
    """Returns the metrics of a list with commas, which are also between the options of one.

    >>> specs_of("bleu,ter:normalized=true,no_punct=true,chrf++,")
    ['bleu', 'ter:normalized=true,no_punct=true', 'chrf++']
    >>> specs_of(",bleu,,ter")
    ['bleu', 'ter']
    """
    specs: list[str] = []
    for part in filter(str.strip, [word] if word.lstrip().startswith("{") else assignments_of(word.strip(", "))):
        is_name = re.match(r"\s*[A-Za-z][\w.+-]*\s*(:|$)", part)
        if specs and not (is_name and (":" not in specs[-1] or _may_be_metric(part, specs[-1]))):
            specs[-1] += f",{part}"
        else:
            specs.append(part.strip())
    return specs


def _may_be_metric(spec: str, before: str) -> bool:
    """Returns whether a text after a metric with options is or resembles the name of another metric."""
    from metrics_framework.metrics.base.other_metrics import meant  # only for lists of metrics with options

    name, registry = spec.partition(":")[0].strip(), Metric.registry()
    if registry.spelled(name) or not (known := meant(name)):
        return bool(registry.spelled(name) or registry.answer(name) or similar(name, registry.names(), cutoff=0.75))
    return known != before.partition(":")[0]  # else it is one of its scores, in a list that is an option


def take_metrics(arguments: argparse.Namespace, words: Sequence[str]) -> list[str]:
    """Moves the metrics among the arguments without a flag to those of ``--metric``; returns the other arguments.

    Raises:
        UnknownNameError: if an argument after ``--metric`` is no file, and almost the name of a metric.
    """
    others: list[str] = []
    names = Metric.registry().names(aliases=True)
    for spec in arguments.metric if words else ():
        parse_metric(spec)  # says how it is read before the others
    for word in words:
        name, is_file = word.partition(":")[0].partition(",")[0], os.path.exists(word)
        is_name = re.fullmatch(r"[\w+-]+", name) and "://" not in word
        if is_name and (arguments.metric or not is_file) and parse_metric(name)[0] in names:
            if not arguments.metric and name in names:  # else its spelling was said
                say_taken(word, f"--metric {word}")
            arguments.metric = [*arguments.metric, *specs_of(word)]
            continue
        if (
            arguments.metric
            and is_name
            and not is_file
            and (Metric.registry().answer(name) or similar(name, names, cutoff=0.75))
        ):
            Metric.by_name(name)  # raises
        others.append(word)
    return others


def names_data_sets(arguments: argparse.Namespace, config: Mapping[str, Any]) -> bool:
    """Returns whether there may be several data sets: values of `NAMING` with a comma, or with names of data sets."""
    given = [getattr(arguments, role, None) or config.get(role) or "" for role in ("dataset", *NAMING)]
    return any(mark in word for of_role in given for word in of_role for mark in ",=")


def only_data_set(names: Sequence[str]) -> str:
    """Returns the name of the only data set.

    Raises:
        UsageError: if there are several.
    """
    if len(names) > 1:
        raise UsageError(f"expected one data set, got {' and '.join(names)}; use one at a time")
    return names[0]


def reader_and_files(
    arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Returns the reader, its input files, and the other files that it reads (references, sources, test set).

    Raises:
        UsageError: if there are no files, flags contradict each other, or the reader does not accept them.
    """
    from metrics_framework.dataset_readers import REGISTRY as READERS
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader

    take_rows(arguments)
    if arguments.outputs and arguments.input_files:
        raise UsageError("--outputs and --input-files both name outputs; use only one of them")
    if arguments.test_set or arguments.language_pair or arguments.origlang:
        choose_test_set(arguments, has_test_set="dataset" in config)
    dataset = config.get("dataset") if arguments.dataset is None else arguments.dataset
    if dataset is not None:
        return _with_row_view(_against_test_set(dataset, arguments, config), arguments, config)
    outputs = arguments.outputs or ([] if arguments.input_files else _configured_outputs(config))
    names: list[str] | None = None
    if any("=" in word for word in outputs):
        outputs, names = split_names(outputs)
    files = _separated(outputs or arguments.input_files or config.get("input_files") or [])
    references = _separated(arguments.references or config.get("references") or [])
    if PATTERN.search("\0".join([*files, *references])):
        files, names = with_matches(files, names)
        references = expanded(references)
    if not files and references and standard_input_has_data():  # as in: cat OUTPUTS | fw bleu evaluate REFERENCE
        files = outputs = [STANDARD]
    if not files:
        raise _no_input(arguments, references)
    sources = arguments.sources or config.get("sources")
    documents = _separated(arguments.documents or config.get("documents") or [])
    others = [*references, *documents, *([sources] if sources else [])]
    spec = arguments.dataset_reader or config.get("dataset_reader")
    text = next((file for file in files if file.endswith(".txt")), None)
    if text is not None and not (spec or outputs):
        raise UsageError(f"'{text}' ends in .txt; use --outputs instead of --input-files for plain text")
    _check_names(files, references, documents, others[len(references) + len(documents) :])
    per_line = None if arguments.num_refs is None else _references_per_line(arguments.num_refs, references)
    given = {"references": references, "documents": documents, "sources": sources, "systems": names}
    texts = {name: value for name, value in {**given, "references_per_line": per_line}.items() if value}
    reader: DatasetReader
    if outputs and not spec:
        reader = READERS.get("plain-text")(**texts)
    else:
        reader = _chosen_reader(spec, texts) if spec else build(READERS.get("default"), DatasetReader, texts, "default")
    reader.checked_files(files)
    name_baseline(arguments, files, names)
    read = reader, files, others
    flags = "columns", "where", "output_columns", "column_names"
    is_viewed = any(getattr(arguments, flag) for flag in flags) or {"columns", "where"} & config.keys()
    return _with_row_view(read, arguments, config) if is_viewed else read


def _with_row_view(
    read: tuple[DatasetReader, list[str], list[str]], arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Sets from which columns a reader reads fields, and which rows it reads; returns it with its files.

    Raises:
        UsageError: if a flag has another form, or the reader does not support it.
    """
    columns = config.get("columns") if arguments.columns is None else arguments.columns
    where = config.get("where") if arguments.where is None else arguments.where
    read[0].column_names = arguments.column_names or ()
    if columns or where or arguments.output_columns or arguments.column_names:
        from metrics_framework.inputs.row_view import parsed_conditions, with_systems

        read[0].set_view(with_systems(columns or {}, arguments.output_columns or ()), parsed_conditions(where or []))
    return read


_FILE_NAMES = {
    "sources": r"src|sources?|orig(inals?)?|complex|inputs?",
    "references": r"refs?|references?|gold|tgt|targets?",
    "outputs": r"outs?|outputs?|hyps?|hypothes[ei]s|sys(tem)?s?|preds?|predictions?|candidates?",
}
"""What the files of texts are often called, as parts of their names."""


def command_of_files(command: str, files: Sequence[str]) -> str:
    """Returns the complete command for files of texts, whose names say what they are, or else their order.

    >>> command_of_files("fw evaluate --metric sari", ["src.en", "ref.0", "ref.1", "mine"])
    'as in: fw evaluate --metric sari --outputs mine --references ref.0 ref.1 --sources src.en'
    """
    if all(uncompressed_name(file).endswith((*RESULT_ENDINGS, ".csv", ".tsv")) for file in files):
        return f"as in: {command} --input-files {' '.join(map(shlex.quote, files))}"
    roles: dict[str, list[str]] = {"outputs": [], "references": [], "sources": [], "": []}
    for file in files:
        found = [role for role, names in _FILE_NAMES.items() if re.search(rf"(?<![^\W_])({names})(?![^\W\d_])", file)]
        roles[found[0] if len(found) == 1 else ""].append(file)
    for file in reversed(roles.pop("")):
        roles["references" if roles["outputs"] and not roles["references"] else "outputs"].insert(0, file)
    roles["outputs"] = roles["outputs"] or ["FILE"]
    flags = [f"--{role} {' '.join(map(shlex.quote, names))}" for role, names in roles.items() if names]
    return f"as in: {' '.join([command, *flags])}"


def _no_input(arguments: argparse.Namespace, references: Sequence[str]) -> UsageError:
    """Returns the error for a command without input."""
    words = getattr(arguments, "positional", ())
    written = [word for word in words if word.endswith((".jsonl", ".csv", ".tsv")) and os.path.exists(word)]
    if len(references) > 1 or written:
        metrics = [f"--metric {spec}" for spec in getattr(arguments, "metric", ())]
        metrics += [f"--profile {profile}" for profile in [getattr(arguments, "profile", None)] if profile]
        metrics = metrics or ["--metric bleu"] * (arguments.program in ("fw evaluate", "fw score"))
        command = command_of_files(" ".join([arguments.program, *metrics]), references if references else written)
        if not references:
            return UsageError(f"no input; '{written[0]}' is a file to write; read it with --input-files, {command}")
        return UsageError(f"which of these files are outputs? {command}")
    pipe = ", or pipe outputs to fw" if references else ""
    table = getattr(arguments, "output", None)
    hint = f"; --output {table} names the file for the table" if table else ""
    return UsageError(
        f"no input; use --input-files FILE … (JSONL, CSV, TSV, Parquet) or --outputs FILE … (plain text){pipe}{hint}"
    )


def _against_test_set(
    dataset: str, arguments: argparse.Namespace, config: Mapping[str, Any]
) -> tuple[DatasetReader, list[str], list[str]]:
    """Like `reader_and_files`, for a test set with plain-text outputs, or one that includes outputs.

    Raises:
        UsageError: if there are no outputs, or flags contradict the test set.
    """
    from metrics_framework.dataset_readers.dataset_reader import load_reader
    from metrics_framework.datasets.test_sets import NOT_REREADABLE, find_test_set

    for key in ("references", "num_refs", "documents", "sources", "dataset_reader"):
        if getattr(arguments, key) or config.get(key):
            flag = f"--{key.replace('_', '-')}"
            raise UsageError(f"--dataset includes the texts to compare with; leave out {flag} or --dataset")
    if "," in dataset and not os.path.exists(dataset):
        dataset = only_data_set(names_of(dataset))
    path = find_test_set(dataset)
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise UsageError(NOT_REREADABLE.format(f"the pipe or device '{path}'"))
    given = arguments.outputs or arguments.input_files or _configured_outputs(config) or config.get("input_files")
    files, names = split_names(given or [])
    if PATTERN.search("\0".join(files)):
        files, names = with_matches(files, names)
    if has_outputs(path):
        if files:
            flag = "--input-files" if arguments.input_files else "--outputs"
            raise UsageError(
                f"'{dataset}' already includes outputs: leave out {flag} to score these, or name a test set without "
                "outputs (fw list datasets)"
            )
        return load_reader("default"), [path], []
    files = files or ([STANDARD] if standard_input_has_data() else [])
    if not files:
        raise UsageError(f"no outputs to score against '{dataset}'; use --outputs FILE … (plain text, one per line)")
    _check_names([*files, path])
    name_baseline(arguments, files, names)
    if arguments.input_files:
        return load_reader("default", test_set=path), files, [path]
    return load_reader("test-set", test_set=path, systems=names, origlang=arguments.origlang), files, [path]


def name_baseline(arguments: argparse.Namespace, files: Sequence[str], names: Sequence[str] | None) -> None:
    """Replaces a file of outputs that --baseline names by the name of its system."""
    given = vars(arguments) if "baseline" in arguments else arguments.options  # some commands declare the flag
    named = [index for index, file in enumerate(files) if given.get("baseline") in (file, os.path.basename(file))]
    if arguments.outputs and len(named) == 1:
        from metrics_framework.dataset_readers.files_of_outputs import system_names

        given["baseline"] = system_names(files, names)[named[0]]


def _references_per_line(count: int, references: Sequence[str]) -> int | None:
    """Returns the number of references in each line of the file of references, `None` for one.

    Raises:
        UsageError: if it is not positive, or there is no single file to which it belongs.
    """
    if count < 1:
        raise UsageError(f"--num-refs must be a positive integer, got {count}")
    if len(references) != 1:
        raise UsageError(f"--num-refs needs a single file with {count} references in each line, got {len(references)}")
    return count if count > 1 else None


def _configured_outputs(config: Mapping[str, Any]) -> list[str]:
    """Returns the plain-text files of outputs that a configuration names.

    Raises:
        UsageError: if it also names input files.
    """
    if "outputs" in config and "input_files" in config:
        raise UsageError("'outputs' and 'input_files' of the configuration both name outputs; use only one of them")
    return config.get("outputs") or []


def has_outputs(path: str) -> bool:
    """Returns whether the rows of a test set include outputs, judging by the first readable row.

    Raises:
        DataError: if the file cannot be read, or the row has two names for one field.
    """
    from metrics_framework.inputs.row_view import standard_row
    from metrics_framework.io.jsonl import read_jsonl

    line, first = next(read_jsonl(path, Problems()), (0, {}))
    try:
        return "summary" in standard_row(first)
    except DataError as problem:
        raise DataError(problem.message, path, line) from None


def _separated(words: Sequence[str]) -> list[str]:
    """Returns files, also those with commas between them."""
    found: list[str] = []
    for word in words:
        parts = word.split(",")
        is_list = len(parts) > 1 and all(map(os.path.exists, parts)) and not os.path.exists(word)
        if is_list:
            say_taken(word, " ".join(parts))
        found += parts if is_list else [word]
    return found


def _check_names(*flags: Sequence[str]) -> None:
    """Rejects folders, and files that one flag names twice, also under two paths.

    Two flags may share a file: the sources can also be scored as outputs, of a system that changes nothing.

    Raises:
        UsageError: if a file is a folder or repeated, standard input too.
    """
    every = [file for files in flags for file in files]
    if every.count(STANDARD) > 1:
        raise UsageError(f"'{STANDARD}' is given twice, but standard input can be read only once")
    if len(flags[0]) > 1 and any(STANDARD in files for files in flags[1:]):
        raise UsageError("standard input can be read only once, but each file of outputs needs it; use a file instead")
    for files in flags:
        seen: set[tuple[str, str]] = set()
        for file in files:
            if os.path.isdir(file):
                raise UsageError(
                    f"'{file}' cannot be read: it is a folder; name its files, as in {os.path.join(file, '*.txt')}, "
                    "if each has the texts of all inputs, one per line; else write rows of JSON"
                )
            same = os.path.realpath(file), stem(file)  # a link with another name is another system
            if same in seen:
                raise UsageError(f"'{file}' is given twice")
            seen.add(same)


def _chosen_reader(spec: str | Mapping[str, Any], texts: Mapping[str, Any]) -> DatasetReader:
    from metrics_framework.dataset_readers.dataset_reader import DatasetReader, load_reader

    try:
        name = parse_spec(spec)[0]
    except UsageError as error:
        raise UsageError(f"--dataset-reader: {error}") from None
    known = {option.name for option in options_of(DatasetReader.by_name(name), DatasetReader)}
    for key in texts:
        if key not in known:
            if key == "systems":
                raise UsageError(f"the dataset reader '{name}' does not accept names of systems (NAME=FILE)")
            raise UsageError(f"the dataset reader '{name}' does not accept --{key}; 'default' and 'plain-text' do")
    return load_reader(spec, **texts)


def split_names(words: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Splits names from files.

    A word that is the path of an existing file, or has a slash before its first ``=``, is a file without a name.

    Args:
        words: Files, or ``NAME=FILE``.

    Returns:
        The files, and for each its name or an empty string; `None` if no file has a name.

    Raises:
        UsageError: if a name is given twice, or a word can be read both ways.
    """
    if not any("=" in word for word in words):
        return list(words), None
    pairs = [split_name(word) for word in words]
    names = [name for name, _ in pairs if name]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--outputs: the name '{name}' is given to two files; systems need different names")
    return [file for _, file in pairs], [name for name, _ in pairs] if names else None


def with_matches(files: Sequence[str], names: Sequence[str] | None) -> tuple[list[str], list[str] | None]:
    """Replaces patterns by the files that match them; returns the names of all files as `split_names` does.

    Raises:
        UsageError: if no file matches a pattern, or a pattern with a name matches several.
        DataError: if a remote folder cannot be listed.
    """
    found = [expanded([file]) for file in files]
    if names is None:
        return [file for matches in found for file in matches], None
    for name, file, matches in zip(names, files, found, strict=True):
        if name and len(matches) > 1:
            raise UsageError(f"--outputs: the name '{name}' is given to '{file}', which matches {len(matches)} files")
    pairs = [(file, name) for name, matches in zip(names, found, strict=True) for file in matches]
    return [file for file, _ in pairs], [name for _, name in pairs]


TABLE_ENDINGS = (".jsonl", ".csv", ".tsv", ".parquet")
"""The endings of files of rows, which are no plain text."""
RESULT_ENDINGS = (".json", ".jsonl", ".parquet")
"""The endings, also followed by that of a compression, of arguments that are output files."""


def take_references(arguments: argparse.Namespace, positional: Sequence[str]) -> list[str]:
    """Moves existing files among the arguments without a flag to the references; returns the other arguments.

    An argument that ends in ``.json`` or ``.jsonl``, also compressed, or in ``.parquet``, or is ``-``, is an output
    file and never moved. Beside ``--input-files`` and ``--dataset``, which include references, nothing is moved.
    If references are given with a flag and outputs are not, the files are outputs.

    Raises:
        UsageError: if references are also given with a flag.
    """
    if arguments.input_files or arguments.dataset is not None or getattr(arguments, "config", None):
        return list(positional)
    files = [word for word in positional if word != STANDARD and not uncompressed_name(word).endswith(RESULT_ENDINGS)]
    found = [word for word in files if os.path.exists(word) or ("://" in word and exists(word))]
    references = [word for word in found if not os.path.isdir(word)]
    if not references:
        return list(positional)
    if arguments.references and not arguments.outputs:
        arguments.outputs = references
        say_taken(" ".join(references), f"--outputs {' '.join(references)}")
    elif arguments.references and arguments.sources:
        named = f"a={arguments.sources} b={references[0]}"
        raise UsageError(f"--sources is one file; name the test set of every file, as in --sources {named}")
    elif arguments.references:
        raise UsageError(
            f"'{references[0]}' and --references {arguments.references[0]} both name references; give all of them with "
            "--references, or none"
        )
    else:
        arguments.references = references
    return [word for word in positional if word not in references]


def take_rows(arguments: argparse.Namespace) -> None:
    """Reads ``-i rows.jsonl`` as ``--input-files rows.jsonl``, unless other files have the references."""
    files: Sequence[str] = arguments.outputs or []
    are_rows = bool(files) and all(
        uncompressed_name(word).endswith(TABLE_ENDINGS) and "=" not in word for word in files
    )
    if are_rows and not (arguments.references or arguments.dataset or arguments.input_files):
        say_taken(f"--outputs {files[0]}", f"--input-files {files[0]}")
        arguments.input_files, arguments.outputs = files, None


def standard_input_has_data() -> bool:
    """Returns whether standard input is a pipe or a file, not a terminal or closed."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def choose_test_set(arguments: argparse.Namespace, has_test_set: bool) -> None:
    """Replaces ``--test-set wmt24 --language-pair en-de`` by ``--dataset wmt24/en-de``.

    Args:
        arguments: The arguments.
        has_test_set: Whether a configuration names a test set.

    Raises:
        UsageError: if the flags are incomplete or contradict each other.
    """
    name, pair = arguments.test_set, arguments.language_pair or ""
    pair = "" if pair.startswith("-") else pair
    if arguments.origlang is not None and not (has_test_set or name or arguments.dataset):
        raise UsageError("--origlang selects rows of a test set; name it with --dataset")
    if arguments.origlang is not None and arguments.input_files:
        raise UsageError("--origlang selects lines of plain text; use --where COLUMN=VALUE with --input-files")
    if name is None:
        return
    if arguments.dataset is not None:
        raise UsageError(f"--dataset {arguments.dataset} and --test-set {name} both name a test set; use only one")
    from metrics_framework.datasets.dataset import known_names

    names = [called("test sets", one) or one for one in name.replace("_", "-").split(",")]
    if len(names) > 1:
        sets = ",".join(one if one in known_names() else f"{one}/{pair or 'SOURCE-TARGET'}" for one in names)
        raise UsageError(f"--test-set {name} names several test sets; score each of them with --dataset {sets}")
    if not pair:
        if name == "custom":
            say_taken("--test-set custom", "your files")
            return
        if similar(names[0], known_names()):  # which the data set corrects
            of_bleu = "_" in name and "bleu" in (vars(arguments).get("metric") or ()) and not arguments.lowercase
            say_taken(f"--test-set {name}", f"--dataset {names[0]}{'; for the BLEU of EASSE, add -lc' * of_bleu}")
            arguments.dataset = names[0]
            return
        raise UsageError(f"--test-set {name} needs a language pair: --language-pair SOURCE-TARGET, as in en-de")
    arguments.dataset = f"{name}/{pair}"


def with_tokenizers(
    specs: Sequence[Any], arguments: argparse.Namespace, test_set: str, note: Callable[[str], object]
) -> Sequence[Any]:
    """Returns the metrics with the tokenizers that sacreBLEU uses for the target language, where they have none.

    Args:
        specs: The metrics.
        arguments: The arguments, with the language pair if one is given.
        test_set: The test set, whose name may say the language pair; an empty string for none.
        note: Receives what was chosen.
    """
    pair = arguments.language_pair
    if test_set and not pair:
        from metrics_framework.datasets.catalogue import language_pair_of

        pair = language_pair_of(test_set)
    if not pair:
        return specs
    language, chosen = pair.partition("-")[2], []
    for spec in specs:
        name, options = parse_metric(spec)
        tokenizer = Metric.by_name(name).language_tokenizers.get(language)
        if tokenizer is not None and not {"tokenizer", "tokenize"} & options.keys():
            options["tokenizer"] = tokenizer
            note(f"{name} uses the tokenizer '{tokenizer}' for the target language '{language}'")
        chosen.append({"type": name, **options})
    return chosen


# ---- confidence intervals and significance tests ---------------------------------------------------------------------

RUN_KEYS = ("by", "confidence", "baseline")
"""The keys of a configuration that are about sets, intervals and tests."""
_RESAMPLING_FLAGS = {"confidence_level": "level", "ci": "method", "resamples": "resamples", "seed": "seed"}


def _level(word: str) -> float | bool:
    """Returns the level of ``--confidence``, a fraction; true for the flag without a level."""
    from metrics_framework.significance.confidence_level import EXPECTED_LEVEL, parse_level

    try:
        return word == "true" or parse_level(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {EXPECTED_LEVEL}, got '{word}'") from None


_LEVEL: Mapping[str, Any] = {"type": _level, "metavar": "LEVEL"}


class ConfidenceFlags:
    """Flags of intervals and tests, besides ``--confidence``.

    Args:
        confidence_level: the same as --confidence LEVEL.
        no_confidence: Compute neither intervals nor tests.
        ci: The interval method: percentiles of a bootstrap (as in sacreBLEU), bca (corrects them for skewness),
            studentized or jackknife (both wide enough for few inputs).
        resamples: The number of resamples.
        seed: The random seed of the resamples.
        baseline: The system that all other systems are compared with (default: the first system of the input).
    """

    confidence_level = Flag(**_LEVEL)
    no_confidence = Flag(action="store_true")
    ci = Flag(choices=INTERVAL_METHODS, implied=f"{METHOD}; with the output or tests of sacreBLEU {PERCENTILE}")
    resamples = Flag("-cin", "--confidence-n", type=int, metavar="N", implied=RESAMPLES)
    seed = Flag(type=int, metavar="N", implied=f"{SEED}; with the output or tests of sacreBLEU {SACREBLEU_SEED}")
    baseline = Flag(metavar="SYSTEM")


def add_confidence_arguments(parser: Parser, default: str) -> None:
    """Adds the flags.

    Args:
        parser: The parser.
        default: The default for the help text.
    """
    group = parser.add_argument_group("confidence intervals and significance tests")
    group.add_argument(
        "-ci",
        "--confidence",
        nargs="?",
        **_LEVEL,
        help="add bootstrap confidence intervals to all scores, and significance tests against the baseline "
        f"(default: {default}); LEVEL is a fraction or in percent (default: {LEVEL})",
    )
    parser.optional_values["--confidence"] = parser.optional_values["-ci"] = is_level
    parser.add_flags(group, ConfidenceFlags)


def chosen_resampling(
    arguments: argparse.Namespace,
    config: Mapping[str, Any],
    by_default: bool,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Resampling | None:
    """Returns how to resample, or `None` for no confidence intervals.

    Args:
        arguments: The parsed flags; any of them turns intervals on.
        config: The configuration; flags override it.
        by_default: Whether to compute intervals if neither flags nor configuration decide.
        defaults: Arguments of `Resampling` that flags and configuration override.

    Raises:
        UsageError: if a flag has an invalid value, or contradicts ``--no-confidence`` or another flag.
    """
    given = {flag: getattr(arguments, flag) for flag in (*_RESAMPLING_FLAGS, "baseline")}
    if arguments.confidence or arguments.confidence_level:
        levels = [level for level in (arguments.confidence, arguments.confidence_level) if isinstance(level, float)]
        if len(set(levels)) > 1:
            raise UsageError(
                f"--confidence {levels[0]:g} and --confidence-level {levels[1]:g} are different levels; use only one"
            )
        given["confidence_level"] = levels[0] if levels else None
    given = {flag: value for flag, value in given.items() if value is not None}
    if arguments.no_confidence:
        for flag in ("confidence", *given) if arguments.confidence else given:
            flag = f"--{flag.replace('_', '-')}"
            raise UsageError(f"{flag} needs intervals, but --no-confidence turns them off; use only one of them")
        return None
    configured = _configured(config) if config else None
    if not (arguments.confidence or given or (by_default if configured is None else configured)):
        return None
    given.pop("baseline", None)
    options = {**defaults, **(configured if isinstance(configured, dict) else {})}
    try:
        return Resampling(**{**options, **{_RESAMPLING_FLAGS[flag]: value for flag, value in given.items()}})
    except InputError as error:
        origin = "--confidence, --resamples, --seed" if given else "'confidence' of the configuration"
        raise UsageError(f"{error} ({origin})") from None


def _configured(config: Mapping[str, Any]) -> bool | dict[str, Any] | None:
    """Returns whether a configuration turns intervals on, or their options; `None` if it does not decide.

    Raises:
        UsageError: if it turns intervals off and names a baseline, or the level is not a confidence level.
    """
    confidence: bool | float | dict[str, Any] | None = config.get("confidence")
    if confidence is not None and not isinstance(confidence, bool):
        try:
            confidence = resampling_arguments(confidence if isinstance(confidence, dict) else {"level": confidence})
        except InputError as error:
            raise UsageError(f"{error} ('confidence' of the configuration)") from None
    if "baseline" not in config:
        return True if confidence == {} else confidence
    if confidence is False:
        raise UsageError("'baseline' needs intervals, but 'confidence' of the configuration is false; use only one")
    return confidence or True
