"""The exercises of this chapter, one folder each."""
