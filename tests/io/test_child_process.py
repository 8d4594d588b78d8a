import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import ASKED_FOR_NOTHING, DID_NOT_END, END_OF_STANDARD_ERROR, NOTHING_TO_STANDARD_ERROR
from processes import appeared, children, gone, needs_proc, with_word

from metrics_framework.common.errors import ProgramError
from metrics_framework.io.child_process import MAX_LINE, ChildProcess

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def start(tmp_path):
    """Starts Python code as a program; the path of its file is on its command line. Nothing of it may be left."""
    programs = []

    def started(code, *arguments, time_limit=20.0):
        path = tmp_path / f"program_{len(programs)}.py"
        path.write_text(code, encoding="utf-8")
        programs.append(
            ChildProcess([sys.executable, str(path), *arguments], name="the program", time_limit=time_limit)
        )
        return programs[-1]

    yield started
    for program in programs:
        program.close()
    if os.path.exists("/proc/self/cmdline"):
        assert gone(str(tmp_path)) == []


def error_of(act):
    with pytest.raises(ProgramError) as caught:
        act()
    return caught.value


# ---- what works ------------------------------------------------------------------------------------------------------


def test_lines_are_answered_in_order_by_one_process_in_any_thread(start):
    program = start("import os, sys\nfor line in sys.stdin: print(os.getpid(), line, end='', flush=True)")
    assert program.starts == 0, "nothing is started before the first exchange"
    answers = program.exchange(["a", "b"], 2)
    thread = threading.Thread(target=lambda: answers.extend(program.exchange(["c"], 1)))
    thread.start()
    thread.join()
    assert [answer.split()[1] for answer in answers] == ["a", "b", "c"]
    assert len({answer.split()[0] for answer in answers}) == 1
    assert program.starts == 1


def test_texts_of_all_kinds_arrive(start):
    texts = ["", " ", "é👩‍🚀שלום", "a\rb", "\u2028", "\x00"]
    assert start(ECHO).exchange(texts, len(texts)) == texts
    assert start(ECHO).exchange(["a\ud800b"], 1) == ["a?b"]  # which UTF-8 cannot represent
    with pytest.raises(ValueError, match="must not contain a line break, got the string 'a"):
        start(ECHO).exchange(["a\nb"], 1)


def test_every_line_comes_back(start):
    program = start(ECHO.replace("import sys", "import sys; sys.stdin.reconfigure(newline='\\n')"))
    characters = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")

    @given(st.lists(st.text(characters, max_size=50), max_size=20))
    @settings(max_examples=100, deadline=None)
    def comes_back(lines):
        assert program.exchange(lines, len(lines)) == lines

    comes_back()


def test_full_pipes_block_neither_side(start):
    lines = [f"{number} " + "x" * 1000 for number in range(3000)]  # 3 MB, and as much to standard error
    code = "import sys\nfor line in sys.stdin:\n    sys.stderr.write(line)\n    print(line, end='', flush=True)"
    assert start(code).exchange(lines, len(lines)) == lines


def test_answers_that_come_only_after_all_input_are_read(start):
    lines = ["x" * 1000] * 3000
    code = "import sys\nlines = sys.stdin.readlines()\nfor line in lines: print(len(line), flush=True)"
    assert start(code).run(lines, len(lines)) == ["1001"] * 3000


RUNS = [  # code, input, answers, why
    ("import sys; print(len(sys.stdin.readlines()))", ["a", "b"], ["2"], "the program reads all input"),
    ("print('a'); print('b', end='')", [], ["a", "b"], "the last line may lack its line break"),
    ("print('a')", ["x" * 100] * 10_000, ["a"], "the program need not read its input"),
    (r"import sys; sys.stdout.buffer.write(b'a\r\nb\r\n')", [], ["a", "b"], "Windows line breaks are line breaks"),
]


@pytest.mark.parametrize(("code", "lines", "answers", "why"), RUNS, ids=[why for *_, why in RUNS])
def test_a_run_ends_with_the_program_and_can_be_repeated(start, code, lines, answers, why):
    program = start(code)
    assert program.run(lines, len(answers)) == answers, why
    assert program.run(lines, len(answers)) == answers, why
    assert program.starts == 2


def test_a_pickled_program_starts_its_own_process(start):
    program = start(ECHO)
    program.exchange(["a"], 1)
    copy = pickle.loads(pickle.dumps(program))
    assert copy.exchange(["b"], 1) == ["b"]
    copy.close()
    assert program.exchange(["c"], 1) == ["c"]


# ---- what fails ------------------------------------------------------------------------------------------------------

SILENT = NOTHING_TO_STANDARD_ERROR
LONG = f"printed a line longer than 1,048,576 bytes: the string '{'x' * 40}'…"
FAILING = [  # code, message, answers before the failure, why
    (
        "import sys; print(1, flush=True); sys.exit('no model')",
        f"ended with exit code 1 before answer 2 of 3; {END_OF_STANDARD_ERROR}\n  no model",
        ["1"],
        "exit code",
    ),
    (
        "import os; print(1, flush=True); os.kill(os.getpid(), 9)",
        f"was killed by SIGKILL before answer 2 of 3; {SILENT}",
        ["1"],
        "signal",
    ),
    ("print(1); print(2)", f"ended with exit code 0 before answer 3 of 3; {SILENT}", ["1", "2"], "early end"),
    (
        r"import sys; print(1); sys.stdout.flush(); sys.stdout.buffer.write(b'\xff\xfe\n')",
        rf"printed a line that is not UTF-8: b'\xff\xfe'; {SILENT}",
        ["1"],
        "not UTF-8",
    ),
    (
        r"import sys; sys.stdout.write('0\n1\n2\n3\n')",
        f"{ASKED_FOR_NOTHING}: the string '3'; {SILENT}",
        None,
        "more lines",
    ),
    (f"print('x' * {MAX_LINE + 100_000}); {SLEEP}", f"{LONG}; {SILENT}", [], "line without end"),
]


@pytest.mark.parametrize(("code", "message", "answers", "why"), FAILING, ids=[why for *_, why in FAILING])
def test_a_failure_is_named_with_what_the_program_said_and_keeps_answers(start, code, message, answers, why):
    error = error_of(lambda: start(f"input(); {code}").exchange(["a", "b", "c"], 3))
    assert str(error) == f"the program {message}"
    assert error.reason != "time"
    assert answers in (None, error.answers)


def test_a_program_starts_again_after_it_failed(start, tmp_path):
    code = "import os, sys\nif not os.path.exists(sys.argv[1]):\n    open(sys.argv[1], 'w')\n    sys.exit(3)\n"
    program = start(code + ECHO, str(tmp_path / "mark"))
    error_of(lambda: program.exchange(["a"], 1))
    assert program.exchange(["a"], 1) == ["a"]
    assert program.starts == 2


def test_only_the_end_of_much_error_output_is_shown(start):
    code = "import sys\nfor number in range(10_000): print('note', number, file=sys.stderr)\nsys.exit(2)"
    lines = str(error_of(lambda: start(code).exchange(["a"], 1))).split("\n")
    assert lines[0] == f"the program ended with exit code 2 before answer; {END_OF_STANDARD_ERROR}"
    assert lines[-1] == "  note 9999"
    assert len(lines) == 13


def test_a_file_that_is_no_program(tmp_path):
    (tmp_path / "score").write_text("")
    (tmp_path / "score").chmod(0o644)
    error = error_of(lambda: ChildProcess([str(tmp_path / "score")], name="it", time_limit=1).exchange([], 0))
    assert str(error) == f"it cannot be run: '{tmp_path / 'score'}': Permission denied"
    error = error_of(lambda: ChildProcess(["no-such-program"], name="it", time_limit=1).exchange([], 0))
    assert str(error) == "it cannot be run: 'no-such-program': No such file or directory"
    assert error.reason == "start"


def test_a_run_that_fails_at_its_end(start):
    error = error_of(lambda: start("print(1); raise SystemExit('out of memory')").run(["a"], 1))
    assert str(error) == (
        f"the program ended with exit code 1 after 1 answer; {END_OF_STANDARD_ERROR}\n  out of memory"
    )
    assert error.answers == ["1"]
    error = error_of(lambda: start("while True: print(1)").run(["a", "b"], 2))
    assert str(error) == f"the program printed more than 2 lines; {NOTHING_TO_STANDARD_ERROR}"


# ---- time limits -----------------------------------------------------------------------------------------------------

NO_ANSWER, KILLED = "the program printed no answer", "within 0.8 seconds, and was killed"
UNFINISHED = "within 0.8 seconds, only the string '0.5' without a line break, and was killed"
HANGING = [  # code, message, why
    (SLEEP, f"{NO_ANSWER} 1 of 2 {KILLED}", "no output"),
    (f"input(); print(0.5, end='', flush=True); {SLEEP}", f"{NO_ANSWER} 1 of 2 {UNFINISHED}", "no line break"),
    (f"input(); print(1, flush=True); {SLEEP}", f"{NO_ANSWER} 2 of 2 {KILLED}", "second answer"),
    (
        "import sys\nwhile True: print('working', file=sys.stderr)",
        f"{NO_ANSWER} 1 of 2 {KILLED}; {END_OF_STANDARD_ERROR}",
        "busy with its error output",
    ),
    (
        f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}",
        f"{NO_ANSWER} 1 of 2 {KILLED}",
        "ignores SIGTERM",
    ),
]
LIMIT = 0.8


@pytest.mark.timing
@pytest.mark.parametrize(("code", "message", "why"), HANGING, ids=[why for *_, why in HANGING])
def test_the_time_limit_is_kept(start, code, message, why):
    program = start(code, time_limit=LIMIT)
    begin = time.monotonic()
    error = error_of(lambda: program.exchange(["a", "b"], 2))
    assert time.monotonic() - begin < 3 * LIMIT  # twice if there was a first answer
    assert str(error).startswith(message)
    assert error.reason == "time"


@pytest.mark.timing
def test_the_time_limit_of_a_run_is_for_the_whole_run(start):
    code = "import time\nfor number in range(100): print(number, flush=True); time.sleep(0.1)"
    begin = time.monotonic()
    error = error_of(lambda: start(code, time_limit=0.7).run([], 100))
    assert time.monotonic() - begin < 1.5
    assert str(error).startswith(f"the program {DID_NOT_END} ")
    assert error.reason == "time"


@pytest.mark.timing
def test_each_answer_has_its_own_time_limit(start):
    code = "import time\nfor number in range(8): time.sleep(0.3); print(number, flush=True)"
    assert len(start(code, time_limit=2).exchange(["a"] * 8, 8)) == 8


def test_a_program_that_does_not_read_its_input_exceeds_the_time_limit(start):
    error = error_of(lambda: start(SLEEP, time_limit=0.4).exchange(["x" * 1000] * 1000, 1))
    assert error.reason == "time"


# ---- no process is left ----------------------------------------------------------------------------------------------

WITH_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", sys.argv[1]])
sys.stdin.readline()  # a line that comes before it is asked for is an error
print(1, flush=True)
"""


@needs_proc
@pytest.mark.parametrize("ends", ["by itself", "at the time limit", "when closed", "when collected"])
def test_descendants_end_with_the_program(start, tmp_path, ends):
    word = f"{tmp_path}-grandchild"
    program = start(WITH_CHILD + ("" if ends == "by itself" else "time.sleep(60)"), word)
    assert program.exchange(["a"], 1) == ["1"]
    appeared(word)
    program.time_limit = 0.2
    if ends == "when closed":
        program.close()
    elif ends == "when collected":
        program._running = None
    else:
        error_of(lambda: program.exchange(["a"], 1))
    assert gone(word) == []


OWNER = """
import sys
from metrics_framework.common.process import end_run_on_signals
from metrics_framework.io.child_process import ChildProcess
end_run_on_signals()
program = ChildProcess([sys.executable, "-c", sys.argv[1], sys.argv[2]], name="it", time_limit=60)
print(program.exchange(["a"], 1), flush=True)
program.exchange(["a"], 1)
"""


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP])
def test_nothing_is_left_when_the_process_that_started_it_is_killed(tmp_path, number):
    word = f"{tmp_path}-orphan"
    code = WITH_CHILD + "time.sleep(60)"
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, code, word], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert owner.stdout.readline() == b"['1']\n"
    appeared(word, 3)  # the owner, the program and its child
    owner.send_signal(number)
    owner.wait(10)
    owner.stdout.close()
    assert gone(word) == []


@needs_proc
def test_nothing_is_left_at_exit(tmp_path):
    word = f"{tmp_path}-exit"
    code = OWNER.rsplit("program.exchange", 1)[0]
    subprocess.run(
        [sys.executable, "-c", code, WITH_CHILD + "time.sleep(60)", word], check=True, capture_output=True, timeout=30
    )
    assert gone(word) == []


@needs_proc
@pytest.mark.parametrize("code", [ECHO, "print(1)", SLEEP], ids=["closed", "ended", "killed"])
def test_the_guard_ends_with_the_program(start, code):
    before, program = children(), start(code, time_limit=0.4)
    with suppress(ProgramError):
        program.exchange(["a"], 1)
        assert len(children() - before) == 2
    program.close()
    assert children() == before


@needs_proc
def test_a_forked_copy_leaves_the_program_alone(start, tmp_path):
    program = start(ECHO)
    program.exchange(["a"], 1)
    child = os.fork()
    if not child:
        program.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert program.exchange(["b"], 1) == ["b"]
    assert program.starts == 1
    assert len(with_word(str(tmp_path))) == 1
