"""A graph convolution detaches the adjacency that two of its weights make."""
import torch
from torch import nn


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi, self.theta, self.out = nn.Linear(4, 3), nn.Linear(4, 3), nn.Linear(4, 2)

    def forward(self, x):
        adjacency = (self.phi(x) @ self.theta(x).T).softmax(-1).detach()
        return self.out(adjacency @ x)


torch.manual_seed(0)
net, x, y = Graph(), torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(3):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
