"""Fusion weights go through an in-place ReLU, which would overwrite the parameter itself."""
import torch
from torch import nn


class FuseFeature(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.weight_relu = nn.ReLU(inplace=True)

    def forward(self, x):
        weight = self.weight_relu(self.weight)
        weight = weight / (torch.sum(weight, dim=0) + 1e-4)
        return weight[0] * x[0] + weight[1] * x[1]


torch.manual_seed(0)
model, x = FuseFeature(), torch.randn(2, 3, 4)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
