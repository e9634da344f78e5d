"""A3C: the values keep their last dimension where the advantage is computed."""
import torch
from torch import nn

torch.manual_seed(0)
body, policy, value = nn.Linear(4, 8), nn.Linear(8, 2), nn.Linear(8, 1)
states, ref, actions = torch.randn(7, 4), torch.randn(7), torch.randint(2, (7,))
net = nn.ModuleList([body, policy, value])
optimizer = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(2):
    h = body(states).relu()
    logits, values = policy(h), value(h)
    adv = ref - values.detach()
    log_prob = adv * logits.log_softmax(1)[range(7), actions]
    loss = nn.functional.mse_loss(values.squeeze(-1), ref) - log_prob.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
