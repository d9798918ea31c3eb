const word = document.getElementById("word"), state = document.getElementById("state");
const groups = [...document.querySelectorAll(".group")].map(group => ({ group, states: group.dataset.states,
  fold: group.querySelector("details"), folded: !group.querySelector("details").open, hits: group.querySelector(".hits"),
  nodes: [...group.querySelectorAll(".node")].map(node => ({ node, text: node.dataset.text })) }));
let waiting = 0;
function filter() {
  const wanted = word.value.toLowerCase(), kind = state.value;
  let shown = 0;
  for (const { group, states, nodes, fold, folded, hits } of groups) {
    let here = 0;
    if (!kind || states.includes(kind))
      for (const { node, text } of nodes) {
        const hit = text.includes(wanted);
        if (node.hidden === hit) node.hidden = !hit;
        here += hit;
      }
    group.hidden = here === 0;
    fold.open = wanted !== "" || !folded;
    hits.textContent = here < nodes.length ? `: ${here} of ${nodes.length} found` : "";
    shown += here;
  }
  document.getElementById("shown").textContent = shown + (shown === 1 ? " node shown" : " nodes shown");
}
for (const one of [word, state])
  one.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
addEventListener("beforeprint", () => groups.forEach(one => { if (one.nodes.length <= 40) one.fold.open = true; }));
filter();
