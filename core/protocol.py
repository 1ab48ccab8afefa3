"""What have host and guest agreed on? Where a file lies there, how large it may be, what the steps of a check are
called, how long an answer may work in a page, and how many guests a run of tests may lose."""

VERDICTS_FILE = "/var/lib/lab/verdicts.jsonl"  # in a guest: what happened in its notebooks
VERDICTS_TAKEN = f"{VERDICTS_FILE}.taken"  # what of it the host has fetched
LARGEST_EVIDENCE_BYTES = 12 << 20  # of the JSON; host/vm/call.py takes 16 MiB of what a guest prints
TAB_PROCESSOR_S = (
    3  # of processor time that an answer may use in a page, where 20 s of a loop are minutes of a reader's
)
MOST_LOST = 3  # guests, in a run of tests: a busy machine loses one now and then
NETWORK, TRACERS, CONTROL, ANSWER, TAKING = STEPS = ("network", "tracers", "control", "answer", "taking")
