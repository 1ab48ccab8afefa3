"""Case 3: why does the end of an answer stay in the sender's kernel when splice(2) asked for more?"""
