"""What does evidence come to, and how is a verdict on an answer said?"""
