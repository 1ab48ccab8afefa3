"""The book's Sphinx extensions: directives, roles, and what is done to each page. They know nothing of the lab."""
