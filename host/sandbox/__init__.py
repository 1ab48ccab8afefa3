"""What runs on this machine without being able to do what its user can."""
