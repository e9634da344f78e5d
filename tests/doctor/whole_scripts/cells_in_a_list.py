"""The LSTM cells of a learned optimizer are in a Python list, so no optimizer holds them."""
import torch
from torch import nn


class MetaOptimizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstms = [nn.LSTMCell(3, 3) for _ in range(2)]
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        for lstm in self.lstms:
            x, _ = lstm(x)
        return self.out(x)


torch.manual_seed(0)
meta, x = MetaOptimizer(), torch.randn(6, 3)
optimizer = torch.optim.Adam(meta.parameters(), 1e-3)
for _ in range(2):
    optimizer.zero_grad()
    meta(x).square().mean().backward()
    optimizer.step()
