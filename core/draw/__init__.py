"""Data as pictures: SVG and HTML, and nothing that measures."""
