"""The criterion goes backward itself, and then the training step does so again."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
optimizer, x, y = torch.optim.Adam(model.parameters(), 1e-3), torch.randn(5, 4), torch.arange(5) % 3


def rdrop_loss(model, x, y):
    loss = nn.functional.cross_entropy(model(x), y) + nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    return loss


for _ in range(2):
    loss = rdrop_loss(model, x, y)
    loss.backward()
    optimizer.step()
