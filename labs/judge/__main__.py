"""`python -m labs.judge <EVIDENCE`: one object of JSON, the verdict; its exit status as that of `labs check`."""

import json
import sys

from core.protocol import LARGEST_EVIDENCE_BYTES
from core.statuses import VERDICTS
from labs.judge.judging import verdict_on_file

verdict = verdict_on_file(sys.stdin.buffer.read(LARGEST_EVIDENCE_BYTES + 1))
print(json.dumps(verdict.to_json()))
sys.exit(VERDICTS[verdict.verdict])
