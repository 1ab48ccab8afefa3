# No verdict, but what it is judged by: a card in the network of the wires, of which the answer knows no more than the
# number that its own kernel tells.
on client ip link add link if2 name forged link-netnsid 0 type macvlan mode bridge
