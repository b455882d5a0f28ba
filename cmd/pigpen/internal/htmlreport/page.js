// The page: what its fields and buttons do.
"use strict";

(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = id => document.getElementById(id);
  const game = new Game(data);
  const policy = new Table(data, data.policy);
  const optimal = data.optimal ? new Table(data, data.optimal) : null;
  const otherLabel = data.players === 2 ? "other score" : "score of each other";
  const view = {round: data.afterRound ? 1 : 0, own: 0, other: Math.floor(data.target / 2)};

  // describe tells in words what the pictures show at the scores that are chosen.
  function describe() {
    const {round, own, other} = view;
    const holds = table => {
      const turn = holdAt(table, round, own, other);
      return turn ? `holds at a turn total of ${turn}` : "never holds";
    };
    let text = `With ${own} against ${other}, ${data.name} ${holds(policy)}`;
    if (optimal) text += `, and perfect play ${holds(optimal)}`;
    at("described").textContent = text + ".";
    if (game.starts) {
      at("valued").textContent = `With ${own} against ${other}, the player who begins a turn wins ${percent(game.start(round, own, other), 3)}.`;
    }
  }

  let policyPlot, valuePlot;
  function draw() {
    for (const name of ["own", "other"]) {
      for (const field of document.querySelectorAll(`input[data-score=${name}]`)) field.value = view[name];
      for (const field of document.querySelectorAll(`span[data-score=${name}]`)) field.textContent = view[name];
    }
    for (const field of document.querySelectorAll("select[data-round]")) field.value = view.round;
    describe();
    policyPlot = drawPolicy(at("policy-map"), {data, policy, optimal, ...view});
    if (game.starts) valuePlot = drawValues(at("value-map"), {data, game, otherLabel, ...view});
    if (data.learning) {
      drawLearning(at("learning-win"), data.learning, "win", {label: "win probability", even: 1 / data.players});
      drawLearning(at("learning-exploitability"), data.learning, "exploitability", {label: "exploitability", log: true});
    }
  }

  for (const field of document.querySelectorAll("input[data-score]")) {
    field.addEventListener("input", () => {
      view[field.dataset.score] = Number(field.value);
      draw();
    });
  }
  for (const field of document.querySelectorAll("select[data-round]")) {
    field.addEventListener("change", () => {
      view.round = Number(field.value);
      draw();
    });
  }
  for (const button of document.querySelectorAll("button[data-own]")) {
    button.addEventListener("click", () => {
      view.own = Number(button.dataset.own);
      view.other = Number(button.dataset.other);
      view.round = Number(button.dataset.round);
      draw();
      at("decisions").scrollIntoView();
      at("other-score").focus({preventScroll: true});
    });
  }
  const within = (v, n) => Math.max(0, Math.min(n - 1, v));
  at("policy-map").addEventListener("click", e => {
    view.own = within(policyPlot.fromX(e.offsetX), data.target);
    draw();
  });
  if (game.starts) {
    at("value-map").addEventListener("click", e => {
      view.own = within(valuePlot.fromX(e.offsetX), data.target);
      view.other = within(valuePlot.fromY(e.offsetY), data.target);
      draw();
    });
    const key = at("value-key");
    for (let band = 0; band < bands; band += 2) {
      key.append(element("span", {"data-band": band}), band * 100 / bands % 50 === 0 ? element("small", {}, `from ${band * 100 / bands}%`) : "");
    }
    key.append(element("small", {}, "to 100%"));
  }
  function paint() {
    for (const e of document.querySelectorAll("[data-band]")) e.style.background = bandColour(Number(e.dataset.band));
    draw();
  }
  window.addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
  if (data.playable) window.pigpen = {game, policy, optimal, play: new Play(game, policy)};
  else window.pigpen = {game, policy, optimal};
})();
