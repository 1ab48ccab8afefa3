"""What runs from a page: a case in the browser's tab, a notebook in the reader's own lab."""
