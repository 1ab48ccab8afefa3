"""How is it measured? In rounds, their number fixed beforehand, beside a clock that tells when the machine froze."""
