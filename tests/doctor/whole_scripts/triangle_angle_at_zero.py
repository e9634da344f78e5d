"""A mesh loss takes the square root of a squared difference that is 0 for flat neighbours."""
import torch

verts = torch.tensor([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], requires_grad=True)
optimizer = torch.optim.Adam([verts], 1e-3)


def triangle_loss(verts):
    a, b = verts[1] - verts[0], verts[2] - verts[0]
    c, d = verts[3] - verts[1], verts[3] - verts[2]
    n1, n2 = torch.linalg.cross(a, b), torch.linalg.cross(d, c)
    return torch.sqrt(((n1 - n2) ** 2).sum()) + a.square().sum()


for _ in range(2):
    loss = triangle_loss(verts)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
