"""Does the guest's own IPython say what comes of a cell, as the lab's does (tests/labs/test_cells.py)?"""

import json
import subprocess
import sys

SERVES = "from labs import cells; cells.serve(cells.shell())"
CELLS = ["%load_ext labs.notebook", "a = 20", "a + 1", "print(a)\n1 / 0", "!echo from a shell", "%list"]


def test_cells_run_one_after_the_other():
    lines = "".join(json.dumps(each) + "\n" for each in [{"seed": "1"}, *({"source": source} for source in CELLS)])
    done = subprocess.run([sys.executable, "-c", SERVES], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    ends = [0, *(at for at, one in enumerate(said) if one["kind"] == "done")]
    ran = [said[begins + 1 : end] for begins, end in zip(ends, ends[1:])]
    loaded, named, shown, failed, shell, exercises = ran
    assert loaded == named == [] and shown == [{"kind": "result", "text": "21"}]
    assert failed[0] == {"kind": "text", "text": "20\n"} and "ZeroDivisionError" in failed[1]["text"]
    assert "from a shell" in shell[0]["text"] and "frag-needed/1" in exercises[0]["text"]
