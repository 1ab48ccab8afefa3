"""Case 1: why does a request wait 200 ms when another one has just met a smaller MTU?"""
