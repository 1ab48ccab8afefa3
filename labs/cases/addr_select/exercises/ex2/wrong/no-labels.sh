# expect: few-questions
# What the report blames: with no label at all the kernel still asks every address every question.
on node ip addrlabel flush
