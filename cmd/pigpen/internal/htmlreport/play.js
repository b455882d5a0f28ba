// Playing against the policy.
"use strict";

// element makes an element with attributes and children.
function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

const pips = [[], [4], [0, 8], [0, 4, 8], [0, 2, 6, 8], [0, 2, 4, 6, 8], [0, 2, 3, 5, 6, 8]];

// die returns a picture of a die with pips, or the name of what it shows.
function die(data, face) {
  if (data.faceNames || data.faces >= pips.length) {
    return element("span", {class: "face"}, data.faceNames ? data.faceNames[face - 1] : String(face));
  }
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 32 32");
  svg.setAttribute("class", "die");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", String(face));
  const shape = (name, attributes) => {
    const e = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    svg.append(e);
  };
  shape("rect", {x: 1, y: 1, width: 30, height: 30, rx: 6});
  for (const at of pips[face]) shape("circle", {cx: 8 + 8 * (at % 3), cy: 8 + 8 * Math.floor(at / 3), r: 3});
  return svg;
}

// A Play is a game on the page, from its start to its review.
class Play {
  constructor(game, policy) {
    this.game = game;
    this.data = game.data;
    this.policy = policy;
    this.at = id => document.getElementById(id);
    this.at("roll").addEventListener("click", () => this.roll());
    this.at("hold").addEventListener("click", () => this.hold());
    this.at("hint").addEventListener("click", () => this.hint());
    this.at("new").addEventListener("click", () => this.begin());
    document.addEventListener("keydown", e => this.key(e));
    this.at("seed").value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);
    this.begin();
  }

  // key does what a key stands for, unless it is meant for a field.
  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select")) return;
    const button = {r: "roll", h: "hold", "?": "hint", n: "new"}[e.key.toLowerCase()];
    if (!button || this.at(button).disabled) return;
    e.preventDefault();
    this.at(button).click();
  }

  points(n) {
    return n + " " + (n === 1 ? this.data.unit.replace(/s$/, "") : this.data.unit);
  }

  name(side) { return side === 0 ? "You" : this.data.name; }

  // begin starts a game with the seed that the field says. The next game has the next seed.
  begin() {
    const field = this.at("seed");
    const seed = Math.abs(Math.floor(Number(field.value))) || 0;
    field.value = String(seed + 1);
    this.dice = new Dice(seed);
    this.match = new Match(this.game, this.dice.number() < 0.5 ? 0 : 1);
    this.choices = [];
    this.at("log").replaceChildren();
    this.at("review").replaceChildren();
    this.say(`Game ${seed}: ${this.match.first === 0 ? "you begin" : this.data.name + " begins"}.`);
    this.line = null;
    this.go();
  }

  say(text) { this.at("said").textContent = text; }

  // entry returns the line of the log for the turn of a side.
  entry(side) {
    if (!this.line) {
      this.line = element("li", {}, element("b", {}, this.name(side) + " "));
      this.at("log").prepend(this.line);
    }
    return this.line;
  }

  // throwDice rolls for the side to move and writes it down. It returns what happened.
  throwDice() {
    const side = this.match.mover, turn = this.match.turn;
    const roll = this.dice.roll(this.game);
    const entry = this.entry(side);
    for (const face of this.data.rolls[roll].faces) entry.append(die(this.data, face), " ");
    const {effect, points} = this.match.roll(roll);
    const what = {
      gain: `+${points}`,
      again: `+${points}` + (this.match.over ? "" : ", and another roll"),
      bust: turn ? `bust: ${this.points(turn)} lost` : "bust",
      wipe: `wiped: ${this.points(turn)} lost, and all that was banked`,
      stop: turn ? `nothing: the turn ends, ${this.points(turn)} banked` : "nothing: the turn ends",
    }[effect];
    const ends = effect !== "gain" && effect !== "again";
    if (ends || this.match.over) {
      entry.append(element("span", {class: effect}, ends ? what : `${what} wins`));
      this.line = null;
    } else if (effect === "again") {
      entry.append(element("small", {}, "again "));
    }
    return {roll, what, ends};
  }

  // bank holds for the side to move and writes it down.
  bank() {
    const {mover, turn} = this.match;
    this.entry(mover).append(element("span", {class: "gain"}, `banks ${turn}`));
    this.match.hold();
    this.line = null;
    return turn;
  }

  // remember keeps a decision of the person with what it was worth.
  remember(action) {
    const {round, own, other, turn} = this.match;
    if (this.match.mayHold) this.choices.push({action, own, other, turn, ...this.game.values(round, own, other, turn)});
  }

  roll() {
    if (this.at("roll").disabled) return;
    this.remember("roll");
    const {roll, what} = this.throwDice();
    this.show(roll);
    this.say(`You: ${what}.`);
    this.go();
  }

  hold() {
    if (this.at("hold").disabled) return;
    this.remember("hold");
    this.say(`You bank ${this.points(this.bank())}.`);
    this.go();
  }

  // show shows the dice of a roll.
  show(roll) {
    this.at("dice").replaceChildren(...this.data.rolls[roll].faces.map(face => die(this.data, face)));
  }

  // go plays on until the person is to move or the game is over.
  go() {
    const m = this.match;
    while (!m.over && m.mover === 1) {
      const before = this.at("said").textContent;
      let text = "";
      while (!m.over && m.mover === 1) {
        const chance = m.mayHold ? this.policy.chance(m.round, m.own, m.turn, m.other) : 1;
        if (chance < 1 && (chance === 0 || this.dice.number() >= chance)) {
          text = `${this.data.name} banks ${this.points(this.bank())}`;
        } else {
          text = `${this.data.name}: ${this.throwDice().what}`;
        }
      }
      this.say(`${before} ${text}.`);
    }
    this.at("worth").textContent = "";
    this.render();
    if (m.over) this.review();
  }

  // render shows the scores, and which actions there are.
  render() {
    const m = this.match;
    m.banked.forEach((banked, side) => {
      const card = this.at("side-" + side);
      card.classList.toggle("moves", !m.over && m.mover === side);
      card.querySelector(".banked").textContent = banked;
    });
    this.at("turn").textContent = m.over ? "" : `turn total: ${m.turn}`;
    if (m.turn === 0) this.at("dice").replaceChildren();
    this.at("roll").disabled = m.over;
    this.at("hold").disabled = !m.mayHold;
    this.at("hint").disabled = m.over;
  }

  // hint tells what both actions are worth.
  hint() {
    const m = this.match;
    const {hold, roll} = this.game.values(m.round, m.own, m.other, m.turn);
    if (!m.mayHold) {
      this.at("worth").textContent = `Roll, the only action, wins ${percent(roll, 3)}.`;
      return;
    }
    const better = roll > hold ? "roll" : "hold";
    this.at("worth").textContent = `Hold wins ${percent(hold, 3)}, roll wins ${percent(roll, 3)}: ${better}.`;
  }

  // review tells who won and which decisions of the person cost most.
  review() {
    const [mine, its] = this.match.banked, [share] = this.match.shares;
    const result = share === 1 ? "You win" : share === 0 ? `${this.data.name} wins` : "The win is shared";
    this.say(`${this.at("said").textContent} ${result}, ${Math.max(mine, its)} to ${Math.min(mine, its)}.`);
    const losses = this.choices.map(c => ({...c, loss: Math.max(0, Math.max(c.hold, c.roll) - c[c.action])}));
    const wrong = losses.filter(c => c.loss > 1e-6).sort((a, b) => b.loss - a.loss);
    const right = losses.length - wrong.length;
    const review = this.at("review");
    if (losses.length === 0) return;
    const all = wrong.reduce((sum, c) => sum + c.loss, 0);
    review.append(element("p", {}, wrong.length === 0 ? `All of your ${losses.length} decisions were right.` :
      `${right} of your ${losses.length} decisions were right (${Math.round(100 * right / losses.length)}%); the others gave away ${percent(all)} in all.`));
    if (wrong.length === 0) return;
    const list = element("ol");
    for (const c of wrong.slice(0, 5)) {
      const other = c.action === "roll" ? "hold" : "roll";
      list.append(element("li", {}, `${percent(c.loss)} lost: ${c.action === "roll" ? "rolled" : "held"} at ${c.own}+${c.turn} against ${c.other}, which wins ${percent(c[c.action])}; ${other} wins ${percent(c[other])}`));
    }
    review.append(list);
  }
}
