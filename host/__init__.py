"""Everything that runs on the reader's own machine: the VM, Jupyter, the site, the command line."""
