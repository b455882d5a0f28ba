"""A tabular learner in plain Python, over JSON lines: no package, not even Pigpen's own.

It learns Piglet (Pig with a coin, to 10) by self-play: Monte Carlo control with an
exploring policy, 300 games at a time. The table goes to `pigpen import`, and `pigpen
eval` tells exactly how good it is. Usage: tabular.py [steps], each of 300 decisions.
"""
import json, os, random, subprocess, sys

pigpen, games, steps = os.environ.get("PIGPEN_BIN", "pigpen"), 300, int((sys.argv[1:] or [8000])[0])
server = subprocess.Popen([pigpen, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(**request):
    print(json.dumps(request), file=server.stdin, flush=True)
    reply = json.loads(server.stdout.readline())
    return reply if reply["ok"] else sys.exit(reply["error"]["message"])

random.seed(1)
env = ask(op="make", variant="piglet", num_envs=games, autoreset="same_step")["env"]
rows = ask(op="reset", env=env, seed=1)
visits, value, played = {}, {}, [[] for _ in range(games)]

def greedy(state):
    return int(value.get((state, 1), 0) >= value.get((state, 0), 0))

for _ in range(steps):
    actions = []
    for game, (row, (hold, _), seat) in enumerate(zip(rows["observations"], rows["action_mask"], rows["seats"])):
        state = tuple(row)
        action = 1 if not hold else random.randrange(2) if random.random() < 0.1 else greedy(state)
        actions.append(action)
        played[game].append((seat, (state, action)))
    rows = ask(op="step", env=env, actions=actions)
    for game in (g for g, over in enumerate(rows["terminated"]) if over):
        for seat, pair in played[game]:
            visits[pair] = n = visits.get(pair, 0) + 1
            value[pair] = value.get(pair, 0) + (rows["rewards"][game][seat] - value.get(pair, 0)) / n**0.7
        played[game].clear()

ask(op="quit")
states = {state for state, _ in value if state[1]}
table = "".join(json.dumps({"observation": s, "action": greedy(s)}) + "\n" for s in sorted(states))
print(f"{steps * games} decisions, {len(states)} states in the table", flush=True)
file = "tabular.msgpack"
subprocess.run([pigpen, "import", "--variant", "piglet", "--agent", "tabular", "--out", file], input=table, text=True, check=True)
subprocess.run([pigpen, "eval", file], check=True)
