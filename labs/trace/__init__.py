"""What the kernel did: tracers, stacks, symbols, calls, flame graphs, livepatch modules."""
