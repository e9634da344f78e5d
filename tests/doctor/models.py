"""Models of the usual kinds, not ours: a residual network, a long loop."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """As torchvision has it: two convolutions, batch norm, a way around them."""

    def __init__(self, inside, outside, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride > 1 or inside != outside:
            conv = nn.Conv2d(inside, outside, 1, stride, bias=False)
            self.downsample = nn.Sequential(conv, nn.BatchNorm2d(outside))

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        layers, inside = [], 16
        for place in range(4):
            outside = 16 * 2**place
            layers += [Block(inside, outside, 2 if place else 1), Block(outside, outside)]
            inside = outside
        self.layers = nn.Sequential(*layers)
        self.fc = nn.Linear(inside, 10)

    def forward(self, x):
        h = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        h = self.fc(self.layers(h).mean((2, 3)))
        return functional.cross_entropy(h, torch.zeros(len(x), dtype=torch.long))


def loop(x):
    """Ten thousand ops."""
    y = x
    for _ in range(2500):
        y = y * 1.0001
        z = y.sin()
        y = y + z * 0.001
    return y.sum()
