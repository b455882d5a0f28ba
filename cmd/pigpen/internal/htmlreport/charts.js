// The pictures: canvases as wide as the page, in the colours of its style sheet.
"use strict";

// colour returns a colour of the style sheet.
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// percent writes a probability.
function percent(x, digits = 2) {
  return (100 * x).toFixed(digits) + "%";
}

// A Plot is a canvas with two axes.
class Plot {
  // box has x and y, ranges with {min, max, ticks, label, log, text}, and the height by width.
  constructor(canvas, {x, y, ratio}) {
    const width = canvas.parentElement.clientWidth, height = Math.round(Math.min(width * ratio, 520));
    const scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.context.scale(scale, scale);
    this.context.font = "13px system-ui, sans-serif";
    this.x = x;
    this.y = y;
    const widest = Math.max(...y.ticks.map(v => this.context.measureText(this.text(y, v)).width));
    this.left = 28 + widest;
    this.right = width - 14;
    this.top = 12;
    this.bottom = height - 44;
  }

  text(axis, v) { return axis.text ? axis.text(v) : v.toLocaleString("en"); }

  // part returns where a value is on an axis, from 0 to 1.
  part({min, max, log}, v) {
    return log ? Math.log(v / min) / Math.log(max / min) : (v - min) / (max - min);
  }

  atX(v) { return this.left + this.part(this.x, v) * (this.right - this.left); }
  atY(v) { return this.bottom - this.part(this.y, v) * (this.bottom - this.top); }

  // fromX and fromY return the whole number on an axis that is nearest to a place.
  fromX(px) { return Math.round(this.x.min + (px - this.left) / (this.right - this.left) * (this.x.max - this.x.min)); }
  fromY(py) { return Math.round(this.y.min + (this.bottom - py) / (this.bottom - this.top) * (this.y.max - this.y.min)); }

  // cells fills the square of each pair of whole numbers with a colour.
  cells(nx, ny, fill) {
    const c = this.context;
    for (let x = 0; x < nx; x++) {
      const from = this.atX(x - 0.5), to = this.atX(x + 0.5);
      for (let y = 0; y < ny;) { // squares of one colour in one piece, so that there are no seams
        const style = fill(x, y);
        let end = y + 1;
        while (end < ny && fill(x, end) === style) end++;
        c.fillStyle = style;
        c.fillRect(from, this.atY(end - 0.5), to - from + 0.5, this.atY(y - 0.5) - this.atY(end - 0.5) + 0.5);
        y = end;
      }
    }
  }

  // axes draws both axes, over what is there.
  axes() {
    const c = this.context;
    c.strokeStyle = colour("ink");
    c.fillStyle = colour("ink");
    c.lineWidth = 1;
    c.strokeRect(this.left, this.top, this.right - this.left, this.bottom - this.top);
    c.textAlign = "center";
    c.textBaseline = "top";
    let end = -Infinity;
    for (const v of this.x.ticks) {
      const at = this.atX(v), half = c.measureText(this.text(this.x, v)).width / 2;
      this.line([[at, this.bottom], [at, this.bottom + 4]]);
      if (at - half < end + 6) continue; // no room for this number
      const shift = Math.min(0, this.canvas.clientWidth - at - half);
      c.fillText(this.text(this.x, v), at + shift, this.bottom + 6);
      end = at + half;
    }
    c.fillText(this.x.label, (this.left + this.right) / 2, this.bottom + 24);
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const v of this.y.ticks) {
      this.line([[this.left - 4, this.atY(v)], [this.left, this.atY(v)]]);
      c.fillText(this.text(this.y, v), this.left - 7, this.atY(v));
    }
    c.save();
    c.translate(9, (this.top + this.bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.fillText(this.y.label, 0, 0);
    c.restore();
  }

  // line draws a line through points of the canvas.
  line(points) {
    const c = this.context;
    c.beginPath();
    points.forEach(([x, y], i) => i ? c.lineTo(x, y) : c.moveTo(x, y));
    c.stroke();
  }

  // borders draws the lines between squares for which in is true and those above or beside
  // them for which out is.
  borders(nx, ny, isIn, isOut) {
    const c = this.context;
    c.strokeStyle = colour("line");
    c.lineWidth = 2;
    c.beginPath();
    for (let x = 0; x < nx; x++) {
      for (let y = 0; y < ny; y++) {
        if (!isIn(x, y)) continue;
        for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
          const u = x + dx, v = y + dy;
          if (u < 0 || v < 0 || u >= nx || v >= ny || !isOut(u, v)) continue;
          const px = this.atX(x + dx / 2), py = this.atY(y + dy / 2);
          if (dx) {
            c.moveTo(px, this.atY(y - 0.5));
            c.lineTo(px, this.atY(y + 0.5));
          } else {
            c.moveTo(this.atX(x - 0.5), py);
            c.lineTo(this.atX(x + 0.5), py);
          }
        }
      }
    }
    c.stroke();
  }

  // cross marks a pair of values: lines through the picture.
  cross(x, y) {
    const c = this.context;
    c.strokeStyle = colour("mark");
    c.lineWidth = 1.5;
    if (x !== null) this.line([[this.atX(x), this.top], [this.atX(x), this.bottom]]);
    if (y !== null) this.line([[this.left, this.atY(y)], [this.right, this.atY(y)]]);
  }
}

// scoreAxis returns an axis of scores from 0 up to a number, without it.
function scoreAxis(label, n) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find(step => n / step <= 6) || 1000;
  const ticks = [];
  for (let v = 0; v < n; v += step) ticks.push(v);
  return {label, min: -0.5, max: n - 0.5, ticks};
}

// drawPolicy shows where a policy rolls and where perfect play decides otherwise.
function drawPolicy(canvas, {data, policy, optimal, round, own, other}) {
  const height = data.afterRound ? data.target + Math.floor(data.target / 5) : data.target;
  const p = new Plot(canvas, {x: scoreAxis(`own score (${data.unit})`, data.target), y: scoreAxis(`turn total (${data.unit})`, height), ratio: 0.8});
  const chance = (x, y) => data.afterRound || x + y < data.target ? policy.chance(round, x, y, other) : -1;
  const decides = (x, y) => chance(x, y) >= 0;
  const rolls = (x, y) => (optimal || policy).chance(round, x, y, other) >= 0.5;
  const fills = {};
  for (const name of ["none", "roll", "hold", "only-policy", "only-optimal", "mixed"]) fills[name] = colour(name);
  p.cells(data.target, height, (x, y) => {
    if (!decides(x, y)) return fills.none;
    const c = chance(x, y);
    if (c > 0 && c < 1) return fills.mixed;
    if (c === 1) return rolls(x, y) ? fills.roll : fills["only-policy"];
    return rolls(x, y) ? fills["only-optimal"] : fills.hold;
  });
  if (optimal) {
    p.borders(data.target, height, (x, y) => decides(x, y) && rolls(x, y), (x, y) => decides(x, y) && !rolls(x, y));
  }
  p.cross(own, null);
  p.axes();
  return p;
}

// bands is the number of colours of win probabilities.
const bands = 20;

// bandColour returns the colour of a band, from light to dark as the style sheet has it.
function bandColour(band) {
  const [from, to] = [colour("band-low"), colour("band-high")].map(hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
  return `rgb(${from.map((v, i) => Math.round(v + (to[i] - v) * band / (bands - 1))).join(" ")})`;
}

// drawValues shows the win probability at the start of a turn by both scores.
function drawValues(canvas, {data, game, round, own, other, otherLabel}) {
  const n = data.target;
  const p = new Plot(canvas, {x: scoreAxis(`own score (${data.unit})`, n), y: scoreAxis(`${otherLabel} (${data.unit})`, n), ratio: 0.8});
  const fills = Array.from({length: bands}, (_, i) => bandColour(i));
  const value = (x, y) => game.start(round, x, y);
  p.cells(n, n, (x, y) => {
    const v = value(x, y);
    return isNaN(v) ? colour("none") : fills[Math.min(bands - 1, Math.floor(v * bands))];
  });
  if (data.players === 2) p.borders(n, n, (x, y) => value(x, y) >= 0.5, (x, y) => value(x, y) < 0.5);
  p.cross(own, other);
  p.axes();
  return p;
}

// niceTicks returns round numbers in a range.
function niceTicks(min, max) {
  const rough = (max - min) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(m => m * power >= rough);
  const ticks = [];
  for (let i = Math.ceil(min / step); i * step <= max * (1 + 1e-9); i++) ticks.push(i * step);
  return ticks;
}

// powerTicks returns powers of ten in a range.
function powerTicks(min, max) {
  const ticks = [];
  for (let e = Math.ceil(Math.log10(min) - 1e-9); 10 ** e <= max * (1 + 1e-9); e++) ticks.push(Number(`1e${e}`));
  return ticks;
}

// short writes a large number, as in 400M.
function short(x) {
  for (const [unit, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (x >= unit) return Number((x / unit).toPrecision(3)) + name;
  }
  return String(Number(x.toPrecision(3)));
}

const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

// drawLearning shows curves by decisions: name is that of the values of each curve.
function drawLearning(canvas, curves, name, {label, log, even}) {
  const xs = curves.flatMap(c => c.x), ys = curves.flatMap(c => c[name]).filter(v => v !== null && (!log || v > 0));
  if (even !== undefined) ys.push(even);
  if (ys.length === 0) return;
  let min = Math.min(...ys), max = Math.max(...ys);
  if (log) {
    min = 10 ** Math.floor(Math.log10(min));
    max = 10 ** Math.ceil(Math.log10(max));
    if (min === max) max *= 10;
  } else {
    const room = (max - min || 0.01) * 0.05;
    min -= room;
    max += room;
  }
  const x = {label: "decisions", min: 0, max: Math.max(...xs, 1), text: short};
  x.ticks = niceTicks(x.min, x.max);
  const y = {label, min, max, log, ticks: log ? powerTicks(min, max) : niceTicks(min, max), text: log ? v => String(v) : v => Number((100 * v).toPrecision(6)) + "%"};
  const p = new Plot(canvas, {x, y, ratio: 0.6}), c = p.context;
  if (even !== undefined) {
    c.strokeStyle = colour("muted");
    c.setLineDash([3, 3]);
    p.line([[p.left, p.atY(even)], [p.right, p.atY(even)]]);
  }
  curves.forEach((curve, i) => {
    const points = curve.x.map((v, k) => [v, curve[name][k]]).filter(([, v]) => v !== null && (!log || v > 0));
    c.strokeStyle = colour(i % 2 ? "line" : "curve");
    c.lineWidth = 2;
    c.setLineDash(dashes[i % dashes.length]);
    p.line(points.map(([v, w]) => [p.atX(v), p.atY(w)]));
  });
  c.setLineDash([]);
  p.axes();
}
