"""Predicted durations are rounded up before the loss, so their predictor never learns."""
import torch
from torch import nn

torch.manual_seed(0)
encoder, predictor, mel = nn.Linear(4, 6), nn.Linear(6, 1), nn.Linear(6, 2)
x, ref, spec = torch.randn(5, 4), torch.full((5,), 3.0), torch.randn(5, 2)
model = nn.ModuleList([encoder, predictor, mel])
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
for _ in range(2):
    h = encoder(x).relu()
    dur = torch.ceil(torch.exp(predictor(h).squeeze(-1)))
    sdp_dur_loss = (torch.log(dur + 1) - torch.log(ref + 1)).square().mean()
    loss = sdp_dur_loss + nn.functional.l1_loss(mel(h), spec)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
