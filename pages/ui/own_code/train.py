"""Train an autoencoder with a codebook. The loss falls, and the encoder never changes."""

import torch
from torch import nn

torch.manual_seed(1)
encoder, codes, decoder = nn.Linear(3, 2), nn.Embedding(4, 2), nn.Linear(2, 3)
model = nn.ModuleList([encoder, codes, decoder])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(8, 3)


def step() -> None:
    latent = encoder(x)
    nearest = torch.cdist(latent, codes.weight).argmin(1)
    loss = nn.functional.mse_loss(decoder(codes(nearest)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    for _ in range(100):
        step()
