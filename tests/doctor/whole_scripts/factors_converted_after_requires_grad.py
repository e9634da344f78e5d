"""Scaling factors are converted after requires_grad=True, so the optimizer refuses them."""
import torch
from torch import nn

torch.manual_seed(0)
model, x = nn.Linear(4, 2).double(), torch.randn(5, 4).double()
quantized = [model.weight]
factors = [torch.ones(2, requires_grad=True).to(torch.float64) for _ in quantized]
optimizer_sf = torch.optim.SGD(factors, 0.1)
for _ in range(2):
    weight = model.weight * factors[0][:, None]
    loss = nn.functional.linear(x, weight, model.bias).square().mean()
    optimizer_sf.zero_grad()
    loss.backward()
    optimizer_sf.step()
