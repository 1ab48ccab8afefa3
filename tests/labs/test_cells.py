"""What does a page hear of a notebook's cells? The process as a page has it run, on this machine: IPython is the lab's,
and no network is up."""

import json
import subprocess
import sys

import pytest

from host.paths import REPOSITORY

SERVES = "from labs import cells; cells.serve(cells.shell())"


@pytest.fixture
def run():
    """run(*cells): what each led to, a list of objects without the last, and that one."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    ) as process:

        def until_done():
            said = []
            while (one := json.loads(process.stdout.readline()))["kind"] != "done":
                said.append(one)
            return said, one

        assert json.loads(process.stdout.readline()) == {"kind": "ready"}
        process.stdin.write(json.dumps({"seed": "1"}) + "\n")

        def ran(*cells):
            found = []
            for source in cells:
                process.stdin.write(json.dumps({"source": source}) + "\n")
                process.stdin.flush()
                found.append(until_done())
            return found

        ran.process = process
        yield ran
        process.stdin.close()
        assert process.wait(10) == 0


def test_cells_share_their_names_and_the_last_expression_is_shown(run):
    assert run("a = 20", "a + 1") == [([], {"kind": "done"}), ([{"kind": "result", "text": "21"}], {"kind": "done"})]


def test_what_a_cell_prints_comes_in_whole_lines(run):
    ((said, _),) = run("import sys\nprint('one', 'two'); print('three', end=''); print('wrong', file=sys.stderr)")
    assert said == [
        {"kind": "text", "text": "one two\n"},
        {"kind": "text", "text": "wrong\n", "complaint": True},
        {"kind": "text", "text": "three"},
    ]


def test_a_picture_is_a_tree_shown_or_displayed(run):
    define = """
        from core.draw.tree import h
        class Picture:
            def drawn(self): return h("figure", {"class": "wpw-x"}, "a < b")
            def __repr__(self): return "words"
    """
    shown = {"kind": "result", "text": "words", "tree": ["figure", {"class": "wpw-x"}, "a < b"]}
    assert [said for said, _ in run(define, "Picture()", "display(Picture())")] == [[], [shown], [shown]]


def test_markup_of_others_is_not_for_a_page(run):
    ((said, _),) = run("from IPython.display import HTML\nHTML('<b>bold</b>')")
    assert [*said[0]] == ["kind", "text"] and "<b>" not in said[0]["text"]


def test_an_error_is_its_traceback_and_the_next_cell_runs(run):
    (said, failed), (after, _) = run("def f():\n  return 1 / 0\nf()", "1")
    (error,) = said
    assert (
        error["kind"] == "error"
        and "ZeroDivisionError: division by zero" in error["text"]
        and "\x1b" not in error["text"]
    )
    assert failed == {"kind": "done", "failed": True} and after == [{"kind": "result", "text": "1"}]


def test_it_is_said_which_module_is_missing(run):
    ((said, _),) = run("import no_such_module")
    assert said[0]["lacks"] == "no_such_module"


def test_words_that_are_no_python_are_an_error_too(run):
    ((said, last),) = run("what is this?!")
    assert said[-1]["kind"] == "error" and "SyntaxError" in said[-1]["text"] and last["failed"]


def test_what_a_program_writes_is_said_before_the_cell_is_done_and_it_reads_no_cell(run):
    (said, last), (after, _) = run("import os\n_ = os.system('printf past; cat')", "1")
    assert said == [{"kind": "text", "text": "past"}] and last == {"kind": "done"}
    assert after == [{"kind": "result", "text": "1"}]


def test_what_a_program_wrote_comes_before_what_python_prints_later(run):
    ((said, _),) = run("import os\nfor n in range(50):\n  _ = os.system(f'echo {n}'); print(n)")
    assert "".join(one["text"] for one in said).split() == [str(n) for n in range(50) for _ in "ab"]


def test_a_forked_process_says_what_it_prints(run):
    cell = """
        import multiprocessing
        child = multiprocessing.get_context("fork").Process(target=lambda: print("from a child"))
        child.start(); child.join()
    """
    ((said, last),) = run(cell)
    assert said == [{"kind": "text", "text": "from a child\n"}] and last == {"kind": "done"}


@pytest.mark.parametrize("asks", ["len?", "?len", "%pinfo len"])
def test_a_question_mark_prints_what_is_known(run, asks):
    ((said, last),) = run(asks)
    assert "Return the number of items" in "".join(one["text"] for one in said) and last == {"kind": "done"}


def test_the_shell_s_own_commands_are_printed(run):
    ((said, _),) = run("!echo from a shell")
    assert "".join(one["text"] for one in said).strip() == "from a shell"


def test_all_comes_in_its_order(run):
    ((said, _),) = run("print('a', end=''); display(1)\nprint('b', end=''); 1 / 0")
    assert [one["text"].splitlines()[0][:1] for one in said] == ["a", "1", "b", "-"]


@pytest.mark.parametrize(
    "cell",
    [
        "while True:\n  print('x' * 100)",
        "while True:\n  print('x' * 100, end='')",
        "while True:\n  display('x' * 100)",
        "print('x' * 2_000_000, end='')",
        "'x' * 2_000_000",
        "!yes | head -1000000",
        "%%bash\nseq 300000",
        "import subprocess\n_ = subprocess.run(['seq', '300000'])",
    ],
)
def test_a_cell_that_says_without_end_is_stopped_and_the_next_one_runs(run, cell):
    (said, _), (after, last) = run(cell, "print('alive')")
    assert "the page shows no more of this cell" in said[-1]["text"]
    assert sum(len(one["text"]) for one in said) < 1_100_000
    assert after == [{"kind": "text", "text": "alive\n"}] and last == {"kind": "done"}


def test_a_child_that_comes_back_runs_no_further_cell(run):
    forked, again, after = run("import os\nchild = os.fork() == 0", "print(os.getpid())", "print(os.getpid())")
    assert again == after


@pytest.mark.parametrize("cell", ["exit", "exit()", "quit"])
def test_exit_says_what_ends_it(run, cell):
    (said, _), (after, _) = run(cell, "1")
    assert "Restart" in said[0]["text"] and after == [{"kind": "result", "text": "1"}]


def test_a_picture_that_cannot_be_drawn_is_words(run):
    ((said, last),) = run(
        "class P:\n  def drawn(self): return 1 / 0\n  def __repr__(self): return 'words'\ndisplay(P())\nP"
    )
    assert [one["text"][:8] for one in said] == ["words", "<class '"] or [*said[0]] == ["kind", "text"]
    assert last == {"kind": "done"} and all("tree" not in one for one in said)


def test_threads_say_whole_objects(run):
    cell = """
        import threading
        threads = [threading.Thread(target=lambda: [print("x" * 50) for _ in range(500)]) for _ in range(4)]
        [each.start() for each in threads], [each.join() for each in threads]
        None
    """
    ((said, last),) = run(cell)
    assert "".join(one["text"] for one in said).count("x") == 4 * 500 * 50 and last == {"kind": "done"}
