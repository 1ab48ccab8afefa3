"""The kernel that runs in the reader's browser tab: fetched, booted once in an emulator, and saved."""
