"""What runs in the lab guest, as root: topologies, workloads, tracers, judges, and their pictures."""
