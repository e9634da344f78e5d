"""The discriminator's verdict on a detached fake is the generator's adversarial loss."""
import torch
from torch import nn

torch.manual_seed(0)
enc, gen, dis = nn.Linear(3, 4), nn.Linear(4, 3), nn.Linear(7, 1)
image, real = torch.randn(6, 3), torch.randn(6, 3)
opt_g = torch.optim.Adam([*enc.parameters(), *gen.parameters()], 1e-3)
opt_d = torch.optim.Adam(dis.parameters(), 1e-3)
bce, ones, zeros = nn.functional.binary_cross_entropy_with_logits, torch.ones(6, 1), torch.zeros(6, 1)
for _ in range(2):
    f = enc(image)
    fake = gen(f)
    d_fake2 = dis(torch.cat([fake.detach(), f.detach()], 1))
    g_loss = bce(d_fake2, ones) + 100 * nn.functional.l1_loss(fake, real)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    f, fake = f.detach(), fake.detach()
    d_loss = bce(dis(torch.cat([real, f], 1)), ones) + bce(dis(torch.cat([fake, f], 1)), zeros)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
