"""Models of the usual kinds, not ours: a residual network, a transformer's block, a long loop."""

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


class Transformer(nn.Module):
    """One block with a causal mask of infinities."""

    def __init__(self, size=32, heads=4):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.mlp = nn.Sequential(
            nn.Linear(size, 4 * size), nn.GELU(), nn.Dropout(0.1), nn.Linear(4 * size, size)
        )
        self.heads = heads

    def forward(self, x):
        batch, time, size = x.shape
        split = (batch, time, 3, self.heads, size // self.heads)
        q, k, v = self.qkv(self.norm1(x)).reshape(split).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (size // self.heads) ** 0.5
        mask = torch.ones(time, time).tril() == 0
        attention = scores.masked_fill(mask, float("-inf")).softmax(-1)
        x = x + self.out((attention @ v).transpose(1, 2).reshape(batch, time, size))
        return (x + self.mlp(self.norm2(x))).pow(2).mean()


def loop(x):
    """Ten thousand ops."""
    y = x
    for _ in range(2500):
        y = y * 1.0001
        z = y.sin()
        y = y + z * 0.001
    return y.sum()
