"""CPU time of the peers relative to this package, and how both grow with the input."""

from __future__ import annotations

from collections.abc import Iterator

from contenders import CHRF_SENTENCES, ROUNDING, SARI, Contender, Task, Work
from corpora import Corpus, documents, first, pairs, sentences, with_references
from settings import Settings
from tables import Line, Table, absent
from timing import in_turns, ratios, spread
from turkcorpus import SYSTEMS

SPEED = Table(
    "CPU time of the peer over that of metrics_framework, from strings",
    ("scores", "peer", "input", "ratio", "equality"),
    (16, 30, 46, 28, 0),
)
SARI_SPEED = Table(
    "SARI: CPU time of the pure-Python kernel over that of the kernels in use, and the time of the latter per output",
    ("scores", "peer", "input", "ratio", "µs per output", "equality"),
    (16, 30, 46, 28, 26, 0),
)
GROWTH = Table(
    "Growth: CPU time per segment relative to the first line of its kind",
    ("scores", "peer", "input", "metrics_framework", "the peer", "peer over metrics_framework", "equality"),
    (16, 30, 46, 24, 24, 28, 0),
)


def agreement(title: str, ours: list[float], theirs: list[float], allowed: float) -> str:
    """Compares the scores of two sides and returns how much they differ; exits if they differ too much."""
    gaps = [abs(our - their) for our, their in zip(ours, theirs, strict=True)]
    if not all(gap <= allowed for gap in gaps):  # also if a gap is NaN
        raise SystemExit(f"{title}: scores differ by up to {max(gaps):.3g}, at most {allowed:g} was expected")
    if max(gaps) <= ROUNDING:
        return f"differ by up to {max(gaps):.0e}" if max(gaps) else "equal"
    different = sum(gap > ROUNDING for gap in gaps)
    return f"another definition: {different:,} of {len(gaps):,} differ, by up to {max(gaps):.3g}"


def check(title: str, tasks: dict[Contender, Task]) -> dict[Contender, str]:
    """Runs all tasks and returns how much the scores of each differ from those of the first."""
    (_, first_task), *others = tasks.items()
    ours = first_task()
    return {peer: agreement(f"{title}, {peer}", ours, task(), peer.allowed) for peer, task in others}


def present(work: Work, table: Table) -> tuple[list[Contender], list[Line]]:
    """Returns the peers that can run, and table lines for those that cannot; none can if this package cannot."""
    reasons = {peer: work.ours.absence() or peer.absence() for peer in work.peers}
    lines = [absent(table, work.name, str(peer), reason) for peer, reason in reasons.items() if reason]
    return [peer for peer, reason in reasons.items() if not reason], lines


def compare(work: Work, corpora: list[Corpus], repetitions: int) -> Iterator[Line]:
    """Checks the scores of each input, then times it."""
    table = SARI_SPEED if work is SARI else SPEED
    peers, missing = present(work, table)
    yield from missing
    for corpus in corpora if peers else []:
        tasks = {side: side.prepare(corpus) for side in (work.ours, *peers)}
        found = check(f"{work.name}, {corpus}", tasks)
        seconds = in_turns(tasks, repetitions)
        ours = seconds[work.ours]
        for peer in peers:
            ratio = ratios(seconds[peer], ours)
            micros = [second / len(corpus) * 1e6 for second in ours]
            absolute = (str(spread(micros)),) if table is SARI_SPEED else ()
            cells = (work.name, str(peer), str(corpus), f"× {spread(ratio)}", *absolute, found[peer])
            yield Line(table, cells, raw(work, peer, corpus, ours, seconds[peer], found[peer]))


def raw(
    work: Work, peer: Contender, corpus: Corpus, ours: list[float], theirs: list[float], found: str
) -> dict[str, object]:
    """Returns the numbers of a line."""
    return {
        "what": work.name,
        "peer": str(peer),
        "input": str(corpus),
        "equality": found,
        "seconds": ours,
        "peer_seconds": theirs,
        "ratios": ratios(theirs, ours),
    }


def of_corpus(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares scores of all outputs: lines with all references (for SARI, of one system and of all), or sentences.

    The systems share sources and references, which are tokenized only once.
    """
    lines = first(settings.corpus, settings.sizes.lines)
    of_one = first(lines, settings.sizes.lines // len(SYSTEMS))
    alone = sentences(settings.corpus, settings.sizes.sentences)
    yield from compare(work, [of_one, lines] if work is SARI else [lines, alone], settings.repetitions)


def of_sentences(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares scores of each output with one reference and, if peers handle several differently, with all."""
    alone = sentences(settings.corpus, settings.sizes.sentences)
    many = [first(settings.corpus, settings.sizes.lines)] if work is CHRF_SENTENCES else []
    yield from compare(work, [alone, *many], settings.repetitions)


def of_lengths(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares scores of each output with one reference: sentences, and documents of two lengths."""
    sizes = settings.sizes
    one = with_references(settings.corpus, 1)
    texts = [documents(one, words, max(2, 10 * sizes.sentences // words)) for words in (60, 200)]
    yield from compare(work, [sentences(settings.corpus, sizes.sentences), *texts], settings.repetitions)


def growing(work: Work, corpora: list[Corpus], repetitions: int) -> Iterator[Line]:
    """Checks and times this package and the first peer on growing inputs."""
    peers, missing = present(work._replace(peers=work.peers[:1]), GROWTH)
    yield from missing
    if not peers:
        return
    peer = peers[0]
    tasks: dict[tuple[int, Contender], Task] = {}
    found = []
    for number, corpus in enumerate(corpora):
        both = {side: side.prepare(corpus) for side in (work.ours, peer)}
        found.append(check(f"{work.name}, {corpus}", both)[peer])
        tasks |= {(number, side): task for side, task in both.items()}
    seconds = in_turns(tasks, repetitions)
    for number, corpus in enumerate(corpora):
        ours, theirs = seconds[number, work.ours], seconds[number, peer]
        shares = len(corpora[0]) / len(corpus)
        growths = [
            str(spread([grown * shares for grown in ratios(seconds[number, side], seconds[0, side])]))
            for side in (work.ours, peer)
        ]
        cells = (work.name, str(peer), str(corpus), *growths, f"× {spread(ratios(theirs, ours))}")
        yield Line(GROWTH, (*cells, found[number]), raw(work, peer, corpus, ours, theirs, found[number]))


def by_words(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares segments of growing length."""
    corpora = [length_grown(settings.corpus, *length) for length in settings.sizes.lengths]
    yield from growing(work, corpora, settings.repetitions)


def length_grown(corpus: Corpus, words: int, count: int) -> Corpus:
    """Returns documents with at least this number of words, or single lines if it is 1."""
    return with_references(documents(corpus, words, count) if words > 1 else first(corpus, count), 1)


def by_references(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares growing numbers of references."""
    lines = first(settings.corpus, settings.sizes.lines // len(SYSTEMS))
    corpora = [with_references(lines, number) for number in settings.sizes.references]
    yield from growing(work, corpora, settings.repetitions)


def by_rows(work: Work, settings: Settings) -> Iterator[Line]:
    """Compares growing numbers of segments."""
    many = with_references(pairs(settings.corpus, max(settings.sizes.rows)), 1)
    yield from growing(work, [first(many, count) for count in settings.sizes.rows], settings.repetitions)
