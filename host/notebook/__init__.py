"""JupyterLab and the kernels of its notebooks, which run in a guest."""
