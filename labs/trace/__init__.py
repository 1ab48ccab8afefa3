"""What the kernel did: tracers, stacks, symbols, calls, profiles, livepatch modules."""
