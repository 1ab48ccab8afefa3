"""What does evidence come to? Which case judges it, and what do all judges ask?"""
