"""Exercises in the guest: an answer is applied, and a verdict with reasons comes of it."""
