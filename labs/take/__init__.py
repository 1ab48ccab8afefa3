"""Exercises in the guest: an answer is applied, and what then happens is measured."""
