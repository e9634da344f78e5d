"""An entropy bonus over logits that a mask has set to minus infinity."""
import torch
from torch import nn

torch.manual_seed(0)
policy, obs = nn.Linear(4, 3), torch.randn(5, 4)
invalid = torch.tensor([False, False, True])
optimizer = torch.optim.Adam(policy.parameters(), 1e-3)


def entropy_from_logits(logits):
    logps = nn.functional.log_softmax(logits, dim=-1)
    return -(torch.exp(logps) * logps).nan_to_num(nan=0.0).sum(-1)


for _ in range(2):
    logits = policy(obs).masked_fill(invalid, float("-inf"))
    loss = -logits.log_softmax(-1)[:, 0].mean() - 0.01 * entropy_from_logits(logits).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
