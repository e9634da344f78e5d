"""Four microbatches before each step, but each of them clears the gradients of the one before."""
import torch
from torch import nn

torch.manual_seed(0)
model, data = nn.Linear(4, 2), torch.randn(16, 2, 4)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
accumulation = 4
for step, x in enumerate(data):
    optimizer.zero_grad(set_to_none=True)
    loss = model(x).square().mean() / accumulation
    loss.backward()
    if (step + 1) % accumulation == 0:
        optimizer.step()
