"""Training that a learner watches: what such a lesson declares, and how it runs.

How a training lesson is written (to copy: ``lessons/chapters/in_the_wild/moving_target``):

1. Networks, written as for one seed: an ``nn.Module`` of the layers in ``stacked.py`` and torch's
   own, whose weights hold all seeds at once, because one seed proves nothing.
2. A learner (``by_seed.py``): most are ``TwoArms``, the networks as set and those to compare them
   with. It has the loss that a step descends, one for each seed, the numbers of every seed, and
   the picture of one seed; taking numbers or a picture may not change what is trained. It draws
   every random number from ``Draws``, a generator a seed, on the CPU. Its updates are
   ``stacked.Adam``'s: torch.optim loads torch's compiler, and every page is slower from then on.
3. A ``Training`` on the lesson's ``Lab``: how a learner begins, and the charts and table of a
   ``History``. ``step_charts.py`` has the pieces of such charts, ``contours.py`` the part where a
   classifier says yes. Each setting says what a change does ``in_run``; ``settings.py``
   has those that most trainings share.
4. The lab's ``compute`` gives what else is there before the first step: gradients by role at some
   component of the untrained network. A run's facts at step 0 are added to its own, so that the
   text has its numbers before anything runs. As the lab trains, the text's numbers follow the run.
   Those in code, in answers to choose and within maths stand still (a number between signs, as in
   ``w = 1``, moves): write no number of a run there.

What a question hides is covered here too (covering.py): so draw what belongs to a role in its
colour, and name the role in the table's column. A question that only a run can answer says
``holds=training``: then nothing runs before the answer.

Who drives it: ``Run`` (under_way.py) makes the steps for a page, a slice of time at a call;
between two slices nothing is computed and no thread waits.
"""
