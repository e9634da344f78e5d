"""A layer is to be frozen, but requires_grad is set on the module, where it does nothing."""
import torch
from torch import nn

torch.manual_seed(0)
body, outc, x = nn.Linear(4, 6), nn.Linear(6, 2), torch.randn(5, 4)
outc.requires_grad = False
model = nn.Sequential(body, nn.ReLU(), outc)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(2):
    probability = model(x).softmax(1)
    loss = -(probability * probability.log()).sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
