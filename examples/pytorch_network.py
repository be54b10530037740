"""A PyTorch network is read layer by layer: its options are proven, as those of a tree are."""

import torch
from torch import nn

import p2ce
from p2ce.apps.applicants import make_applicants

torch.manual_seed(0)
torch.set_num_threads(1)
applicants = make_applicants(seed=3)
people, repaid = applicants.people, applicants.repaid
inputs = torch.tensor(people.to_numpy(dtype="float32"))
outcome = torch.tensor(repaid.to_numpy(dtype="float32"))

# The first layer scales, since the network gets the values of the frame as they are.
network = nn.Sequential(
    nn.BatchNorm1d(inputs.shape[1]), nn.Linear(inputs.shape[1], 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(),
    nn.Linear(16, 1),
)  # fmt: skip
optimiser = torch.optim.Adam(network.parameters(), lr=0.01, weight_decay=1e-4)
for _ in range(300):
    optimiser.zero_grad()
    loss = nn.functional.binary_cross_entropy_with_logits(network(inputs)[:, 0], outcome)
    loss.backward()
    optimiser.step()
network.eval()


def ask(frame):
    """The same network as a bare function, which can only be asked."""
    with torch.no_grad():
        return torch.sigmoid(network(torch.tensor(frame.to_numpy(dtype="float32")))[:, 0]).numpy()


chance = ask(people)
right = ((chance >= 0.5) == repaid.to_numpy().astype(bool)).mean()
print(
    f"The network is right about {right:.0%} of {len(people)} applicants, and refuses {(chance < 0.5).sum()}."
)

actions = (
    p2ce.ActionSet.infer(people)
    .fix("Age", "LatePayments", "OwnsHome")
    .decrease_only("LoanAmount")
    .increase_only("Income", "SavingsBalance", "YearsAtCurrentJob", "HasGuarantor")
)
refused = people[chance < 0.5].head(50)
read = p2ce.Explainer(network, people, actions=actions).explain_many(refused)
asked = p2ce.Explainer(ask, people, actions=actions).explain_many(refused)

same = sum(
    [a.changes for a in one] == [b.changes for b in other] for one, other in zip(read, asked, strict=True)
)
print(f"Read, by {read[0].certificate.bound}: {read}")
print(f"SavedArguments, by {asked[0].certificate.bound}: {asked}")
print(f"Both find the same options for {same} of {len(refused)} people.")
