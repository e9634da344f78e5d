"""A trainer is copied by its attributes: the new module is trained with the old one's optimizer."""
import copy

import torch
from torch import nn


class Regressor:
    def __init__(self):
        self.module = nn.Sequential(nn.Linear(4, 3), nn.Sigmoid(), nn.Linear(3, 1))
        self.optimizer = torch.optim.SGD(self.module.parameters(), 0.1)

    def partial_fit(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.module(x), y)
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
x, y = torch.randn(6, 4), torch.randn(6, 1)
n1 = Regressor()
n2 = copy.copy(n1)
n2.module = copy.deepcopy(n1.module)
for _ in range(2):
    n2.partial_fit(x, y)
