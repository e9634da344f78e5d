"""The backbone's forward pass is decorated with inference_mode, and a head trains on top."""
import torch
from torch import nn

torch.manual_seed(0)
backbone, decode_head = nn.Linear(4, 6), nn.Linear(6, 1)
img, depth = torch.randn(5, 4), torch.rand(5, 1)
optimizer = torch.optim.AdamW(decode_head.parameters(), 1e-3)


@torch.inference_mode()
def extract_feat(img):
    return backbone(img).relu()


for _ in range(2):
    features = extract_feat(img)
    loss = nn.functional.l1_loss(decode_head(features), depth)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
