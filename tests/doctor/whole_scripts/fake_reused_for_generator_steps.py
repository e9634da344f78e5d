"""SinGAN: one fake image serves several steps of the generator."""
import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(3, 6), nn.LeakyReLU(0.2), nn.Linear(6, 4))
critic = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.2), nn.Linear(6, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), 5e-4)
optimizer_d = torch.optim.Adam(critic.parameters(), 5e-4)
noise, real = torch.randn(5, 3), torch.randn(5, 4)
for _ in range(2):
    critic.zero_grad()
    fake = generator(noise)
    (critic(fake.detach()).mean() - critic(real).mean()).backward()
    optimizer_d.step()
    for _ in range(3):
        generator.zero_grad()
        loss_g = -critic(fake).mean()
        loss_g.backward(retain_graph=True)
        optimizer_g.step()
