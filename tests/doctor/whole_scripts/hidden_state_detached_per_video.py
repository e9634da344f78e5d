"""The LSTM's state is detached once a video, outside the loop over its frames."""
import torch
from torch import nn

torch.manual_seed(0)
cell, head = nn.LSTMCell(3, 4), nn.Linear(4, 2)
video, labels = torch.randn(4, 5, 3), torch.tensor([0, 1, 0, 1, 0])
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], 0.1)
h = c = torch.zeros(5, 4)
for _ in range(2):
    for frame in video:
        optimizer.zero_grad()
        h, c = cell(frame, (h, c))
        loss = nn.functional.cross_entropy(head(h), labels)
        loss.backward(retain_graph=True)
        optimizer.step()
    h, c = h.detach(), c.detach()
