"""Case 2: why does a web server send segments that its own kernel never asked for?"""
