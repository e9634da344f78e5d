"""Under autocast, the copy of the weights that a no_grad pass made serves the second pass too."""
import torch
from torch import nn

torch.manual_seed(0)
linear, x = nn.Linear(3, 2), torch.randn(5, 3)
optimizer = torch.optim.SGD(linear.parameters(), 0.1)
for _ in range(2):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        with torch.no_grad():
            before = linear(x)
        loss = (linear(x) - before - 1).float().square().mean()
    loss.backward()
    optimizer.step()
