"""The gradients are clipped once the optimizer has used them."""
import torch
from torch import nn

torch.manual_seed(0)
model, x = nn.Linear(4, 2), 30 * torch.randn(8, 4)
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
for _ in range(3):
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.zero_grad()
