"""A Bayesian layer computes its standard deviation from rho once, in its constructor."""
import numpy as np
import torch
from torch import nn


class BayesianLinear(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(outside, inside))
        self.rho = nn.Parameter(torch.full((outside, inside), -3.0))
        self.sigma = torch.as_tensor(np.log1p(np.exp(self.rho.detach().numpy())))

    def forward(self, x):
        return nn.functional.linear(x, self.mu + self.sigma * torch.randn_like(self.mu))


torch.manual_seed(0)
model, x, y = BayesianLinear(4, 2), torch.randn(6, 4), torch.randn(6, 2)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    optimizer.zero_grad()
    (model(x) - y).square().mean().backward()
    optimizer.step()
