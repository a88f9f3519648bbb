"""The referee: a second judge of episodes, written apart from keys, verifiers and the battery.

It imports nothing of `compile`, `battery` or `verify`, and of a key it takes only the request's facts (which goals, with which
rows and which said values, for whom). From these, the Blueprint's goals and rules, and the opening and the end state it decides
whether an episode is right. Then it plays legally around each task, and lists where its word and the verifier's differ.

An episode that ends in `done` is right where
1. what every goal wants holds at the end, for some choice of the rows that the episode made, and texts state the facts they must;
2. no rule of the handbook was broken on the way;
3. nothing was done that is not needed: without any one of its writes, any one optional value or any one item of a list, either
   a goal fails, or a rule is broken, or the end is the same; and the end does not hold all changes of the witness and more;
4. the answer says what the goals tell of the rows that they made, and nothing that does not belong to it.

One that ends in `partly` is right where the same holds of the goals that nothing forbids, and the rule that is named forbids the
rest; where the rest can be done after all, doing it and saying `done` is right. One that ends in `refused` is right where nothing
is changed at the end, and the rule that is named is one of all that the forbidden calls break when no rule refuses. A write and
its undoing count by their net effect: they are fine where the end is the same as without both, and a line that stays in a log is
no such end.

Where a request is about every row of a kind, the referee finds those rows itself: the rows of the table that still count, of which
the goal may be asked and that are as the request says; those that a rule keeps back are left out. The goals, `count`, `total` and
`left_out` follow. Where a row cannot be dealt with though no rule forbids it, or where the order decides which are left out, the
request has no one reading, and no answer is right.

What it does not decide: whether texts say more than they should, figures of keys that do not say what they are over, and whether
the words mean the goals. Such an episode is `undecided`.
"""
