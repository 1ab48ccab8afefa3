# expect: expression
# It would have to be run, and whoever runs it does what it says.
lost = (lambda: asked > size)()
