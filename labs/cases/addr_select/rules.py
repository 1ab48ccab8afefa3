"""What are the rules of source address selection called? By RFC 6724, section 5, and by the kernel."""

# The kernel's name: (the RFC's number, what it prefers).
RFC = {
    "INIT": ("-", "any"),
    "LOCAL": ("1", "same address"),
    "SCOPE": ("2", "scope"),
    "PREFERRED": ("3", "not deprecated"),
    "HOA": ("4", "home"),
    "OIF": ("5", "interface"),
    "LABEL": ("6", "label"),
    "PRIVACY": ("7", "temporary"),
    "ORCHID": ("-", "ORCHID"),
    "PREFIX": ("8", "longest prefix"),
    "NOT_OPTIMISTIC": ("-", "not optimistic"),
}
