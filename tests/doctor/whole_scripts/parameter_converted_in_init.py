"""A parameter is converted as it is assigned, so the module has no such parameter."""
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(10, 10)
        self.w = nn.Parameter(torch.ones(10, dtype=torch.float64)).to(torch.float32)

    def forward(self, x):
        return self.w * self.linear(x)


torch.manual_seed(0)
model, x = Scaled(), torch.randn(4, 10)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
