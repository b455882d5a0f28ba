// The rules of one game as data, the decisions of two policies and the values of perfect
// play, from which everything else on the page is computed.
"use strict";

// bytesOf returns the bytes of a base64 text.
function bytesOf(text) {
  return Uint8Array.from(atob(text), c => c.charCodeAt(0));
}

// decodeRuns returns the elements of a run-length encoded list: each run is a varint,
// length · kinds + element.
function decodeRuns(text, kinds, size) {
  const bytes = bytesOf(text);
  const list = new Uint32Array(size);
  let at = 0, filled = 0;
  while (at < bytes.length) {
    let n = 0, factor = 1, byte;
    do {
      byte = bytes[at++];
      n += (byte & 127) * factor;
      factor *= 128;
    } while (byte & 128);
    const length = Math.floor(n / kinds);
    list.fill(n % kinds, filled, filled + length);
    filled += length;
  }
  if (filled !== size) throw new Error(`${filled} decisions instead of ${size}`);
  return list;
}

// A Table has the chance of rolling at each decision point: by own score, turn total
// and the score of each other player.
class Table {
  constructor(data, policy) {
    this.data = data;
    this.chances = policy.chances;
    this.rounds = [];
    this.first = []; // by own score, the number of pairs of own score and turn total before it
    let pairs = 0;
    for (let own = 0; own < data.target; own++) {
      this.first.push(pairs);
      pairs += data.width - 1 - own;
    }
    let size = 0;
    for (const others of data.others) {
      this.rounds.push({first: size, others});
      size += pairs * others;
    }
    this.list = decodeRuns(policy.runs, policy.chances.length, size);
  }

  // chance returns the chance of rolling, or -1 in states in which no player chooses. Scores
  // beyond those of the table count as the last one.
  chance(round, own, turn, other) {
    const {first, others} = this.rounds[round];
    turn = Math.min(turn, this.data.width - 1 - own);
    if (turn < 1) return -1;
    return this.chances[this.list[first + (this.first[own] + turn - 1) * others + Math.min(other, others - 1)]];
  }
}

// A Game knows the rules and what the actions are worth where both play perfectly from
// there. Positions are {round, own, other}: round 0 is that of the player who acts last in
// a round and, in games that end at the target, of all; round 1 that of the first.
class Game {
  constructor(data) {
    this.data = data;
    this.total = 0;
    for (const roll of data.rolls) this.total += roll.weight;
    this.maxGain = 0;
    this.outcomes = data.outcomes.map(list => this.sum(list));
    if (data.values) {
      this.starts = data.values.map(text => new Float32Array(bytesOf(text).buffer));
    }
    this.cache = new Map();
  }

  // sum returns the outcomes of a roll with their chances, each once.
  sum(list) {
    const chances = new Map();
    list.forEach(([effect, points], i) => {
      const key = effect + " " + points;
      const o = chances.get(key) || {effect, points, chance: 0};
      o.chance += this.data.rolls[i].weight / this.total;
      chances.set(key, o);
      this.maxGain = Math.max(this.maxGain, points);
    });
    return [...chances.values()];
  }

  // outcomesAt returns the outcomes of a roll at a score, banked and in the turn.
  outcomesAt(score) {
    return this.outcomes[Math.min(score, this.outcomes.length - 1)];
  }

  // outcomeOf returns what a roll does at a score.
  outcomeOf(roll, score) {
    const [effect, points] = this.data.outcomes[Math.min(score, this.data.outcomes.length - 1)][roll];
    return {effect, points};
  }

  // start returns the win probability of the player who begins a turn.
  start(round, own, other) {
    if (this.data.afterRound && other >= this.data.target) return this.turn(round, own, other).roll[own];
    return this.starts[round][own * this.data.target + other];
  }

  // passed returns the win probability of a player whose turn has ended with a banked
  // score.
  passed(round, own, other) {
    const {afterRound, target} = this.data;
    if (!afterRound) return own >= target ? 1 : 1 - this.start(0, other, own);
    if (round === 1) return 1 - this.start(0, other, own);
    if (Math.max(own, other) < target) return 1 - this.start(1, other, own);
    return own > other ? 1 : own === other ? 0.5 : 0;
  }

  // turn returns what holding and rolling are worth in a turn, by the score, banked and
  // in the turn, by backward induction.
  turn(round, own, other) {
    const key = `${round} ${own} ${other}`;
    let t = this.cache.get(key);
    if (t) return t;
    const {afterRound, target} = this.data;
    let top = target - 1; // the highest score at which to roll may be better
    if (afterRound) top = Math.max(target, other) + 120;
    const hold = [], roll = [], best = [];
    for (let score = top + this.maxGain; score > top; score--) {
      best[score] = roll[score] = hold[score] = this.passed(round, score, other);
    }
    const bust = this.passed(round, own, other), wipe = this.passed(round, 0, other);
    for (let score = top; score >= own; score--) {
      hold[score] = score === own ? bust : this.passed(round, score, other);
      let value = 0;
      for (const o of this.outcomesAt(score)) {
        switch (o.effect) {
        case "gain": value += o.chance * best[score + o.points]; break;
        case "again": value += o.chance * roll[score + o.points]; break;
        case "bust": value += o.chance * bust; break;
        case "wipe": value += o.chance * wipe; break;
        case "stop": value += o.chance * hold[score]; break;
        }
      }
      roll[score] = value;
      best[score] = Math.max(value, hold[score]);
    }
    t = {hold, roll};
    if (this.cache.size > 2000) this.cache.clear();
    this.cache.set(key, t);
    return t;
  }

  // values returns what both actions are worth in a state of play.
  values(round, own, other, turn) {
    const {hold, roll} = this.turn(round, own, other);
    const score = own + turn;
    if (score >= hold.length) return {hold: this.passed(round, score, other), roll: NaN};
    return {hold: hold[score], roll: roll[score]};
  }
}

// holdAt returns the least turn total at which a policy holds, or 0.
function holdAt(table, round, own, other) {
  const {target, width, afterRound} = table.data;
  const end = afterRound ? width : target;
  for (let turn = 1; own + turn < end; turn++) {
    const chance = table.chance(round, own, turn, other);
    if (chance >= 0 && chance < 0.5) return turn;
  }
  return 0;
}

// A Dice draws rolls, the same ones for the same seed (SplitMix32: a counter, hashed).
class Dice {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  // bits returns 32 random bits.
  bits() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  // number returns a number from 0 up to 1, without 1.
  number() {
    return ((this.bits() >>> 5) * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }

  // roll returns the number of a roll, by the weights of a game's rolls.
  roll(game) {
    let at = Math.floor(this.number() * game.total);
    for (let i = 0; ; i++) {
      at -= game.data.rolls[i].weight;
      if (at < 0) return i;
    }
  }
}

// A Match is a game that is played: side 0 is the person, side 1 the policy.
class Match {
  constructor(game, first) {
    this.game = game;
    this.first = first;
    this.banked = [0, 0];
    this.mover = first;
    this.turn = 0;
    this.mustRoll = false;
    this.over = false;
  }

  get round() { return this.game.data.afterRound && this.mover === this.first ? 1 : 0; }
  get own() { return this.banked[this.mover]; }
  get other() { return this.banked[1 - this.mover]; }
  get mayHold() { return !this.over && this.turn > 0 && !this.mustRoll; }

  // shares returns what each side has won: 1, 0 or, if the win is shared, 0.5.
  get shares() {
    const [a, b] = this.banked;
    return a > b ? [1, 0] : a < b ? [0, 1] : [0.5, 0.5];
  }

  // hold banks the turn total.
  hold() {
    this.banked[this.mover] += this.turn;
    this.pass();
  }

  // roll does what a roll does, and returns it.
  roll(number) {
    const {afterRound, target} = this.game.data;
    const o = this.game.outcomeOf(number, this.own + this.turn);
    this.mustRoll = false;
    switch (o.effect) {
    case "gain":
    case "again":
      this.turn += o.points;
      if (!afterRound && this.own + this.turn >= target) {
        this.banked[this.mover] += this.turn;
        this.turn = 0;
        this.over = true;
      } else {
        this.mustRoll = o.effect === "again";
      }
      break;
    case "bust":
      this.turn = 0;
      this.pass();
      break;
    case "wipe":
      this.turn = 0;
      this.banked[this.mover] = 0;
      this.pass();
      break;
    case "stop":
      this.hold();
      break;
    }
    return o;
  }

  // pass ends a turn.
  pass() {
    const last = this.mover !== this.first;
    this.turn = 0;
    this.mover = 1 - this.mover;
    if (this.game.data.afterRound && last && Math.max(...this.banked) >= this.game.data.target) this.over = true;
  }
}
