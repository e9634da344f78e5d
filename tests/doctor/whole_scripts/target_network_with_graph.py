"""Q-learning: the target is computed with its graph, so the target network gets gradients."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
q_eval = nn.Linear(4, 2)
q_next = copy.deepcopy(q_eval)
states, states_, rewards = torch.randn(6, 4), torch.randn(6, 4), torch.randn(6)
actions, dones = torch.randint(2, (6,)), torch.zeros(6, dtype=torch.bool)
optimizer = torch.optim.RMSprop(q_eval.parameters(), 1e-3)
for _ in range(2):
    optimizer.zero_grad()
    q_pred = q_eval(states)[range(6), actions]
    after = q_next(states_).max(dim=1)[0]
    after[dones] = 0.0
    q_target = rewards + 0.99 * after
    loss = nn.functional.mse_loss(q_target, q_pred)
    loss.backward()
    optimizer.step()
