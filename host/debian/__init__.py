"""What the lab takes from Debian: packages of this machine, files and sources of the archive."""
