"""Which exercises are there, and how is a verdict on an answer said?"""
