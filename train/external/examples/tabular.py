"""A tabular learner in plain Python, over JSON lines: no package, not even Pigpen's own.

It learns Piglet (Pig with a coin, to 10) by Q-learning in self-play, 300 games at a
time. The table goes to `pigpen import`, and `pigpen eval` tells exactly how good it is.
Usage: tabular.py [steps], each of 300 decisions.
"""
import json, os, random, subprocess, sys
from typing import Any

pigpen, games, steps = os.environ.get("PIGPEN_BIN", "pigpen"), 300, int((sys.argv[1:] or ["8000"])[0])
server = subprocess.Popen([pigpen, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert server.stdin and server.stdout
to, replies = server.stdin, server.stdout

def ask(**request: Any) -> dict[str, Any]:
    print(json.dumps(request), file=to, flush=True)
    reply: dict[str, Any] = json.loads(replies.readline())
    return reply if reply["ok"] else sys.exit(reply["error"]["message"])

random.seed(1)
env = ask(op="make", variant="piglet", num_envs=games, autoreset="same_step")["env"]
rows = ask(op="reset", env=env, seed=1)
visits: dict[Any, int] = {}
value: dict[Any, float] = {}

def best(row: list[int], mask: Any) -> tuple[float, int]:
    return max((value.get((tuple(row), action), 0), action) for action in (0, 1) if mask[action])

for _ in range(steps):
    before, shown = rows, list(zip(rows["observations"], rows["action_mask"]))
    actions = [best(*game)[1] if random.random() < 0.8 else 1 - random.randrange(2) * game[1][0] for game in shown]
    rows = ask(op="step", env=env, actions=actions)
    for game, seat in enumerate(before["seats"]):
        sign = 1 if rows["seats"][game] == seat else -1  # what is best for the other is worst for this one
        ahead = sign * best(rows["observations"][game], rows["action_mask"][game])[0]
        target = rows["rewards"][game][seat] if rows["terminated"][game] else ahead
        pair = tuple(shown[game][0]), actions[game]
        visits[pair] = n = visits.get(pair, 0) + 1
        value[pair] = value.get(pair, 0) + (target - value.get(pair, 0)) / n**0.6

states = sorted({state for state, _ in value if state[1]})
table = "".join(json.dumps({"observation": s, "action": best(s, (1, 1))[1]}) + "\n" for s in states)
print(f"{steps * games} decisions, {len(states)} states in the table", flush=True)
into = ["import", "--variant", "piglet", "--agent", "tabular", "--out", "tabular.msgpack"]
subprocess.run([pigpen, *into], input=table, text=True, check=True, stdout=subprocess.DEVNULL)
subprocess.run([pigpen, "eval", "tabular.msgpack"], check=True)
