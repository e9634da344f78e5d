"""PPO's critic: values of shape (B,) against returns of shape (B, 1), and clipped."""
import torch
from torch import nn

torch.manual_seed(0)
value_head, obs = nn.Linear(4, 1), torch.randn(6, 4)
returns, prev_values = torch.randn(6, 1), torch.zeros(6, 1)
optimizer = torch.optim.Adam(value_head.parameters(), 1e-3)


def critic_loss(values, returns, prev_values):
    clipped = prev_values + (values - prev_values).clamp(-0.2, 0.2)
    return torch.max((returns - values).square(), (returns - clipped).square()).mean()


for _ in range(2):
    loss = critic_loss(value_head(obs).squeeze(-1), returns, prev_values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
