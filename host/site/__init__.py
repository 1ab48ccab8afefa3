"""The static site: built, checked, drawn, printed, with the lines that it quotes of other people's programs."""
