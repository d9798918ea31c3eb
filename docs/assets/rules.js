// Filters above the tables of rules/index.md. Without JavaScript the tables are simply whole.
(() => {
  const place = document.getElementById("rule-filter");
  if (!place || place.firstChild) return;
  const tables = [...document.querySelectorAll("article table")];
  const rows = tables.flatMap((table) =>
    [...table.querySelectorAll("tbody tr")].map((row) => {
      const [code, finds, severity, fix, releases, name] = [...row.cells].map((cell) => cell.textContent.trim());
      return { row, code, name, severity, releases, fix, finds };
    })
  );
  const sections = tables.map((table) => {
    let heading = table;
    while (heading && heading.tagName !== "H2") heading = heading.previousElementSibling || heading.parentElement;
    return { table, heading };
  });
  const minor = (release) => Number(release.split(".")[1]);
  const holds = (span, release) => {
    if (span === "all") return true;
    const [first, last = first] = span.split("–").map(minor);
    return first <= minor(release) && minor(release) <= last;
  };
  const unique = (key) => [...new Set(rows.map((rule) => rule[key]))];
  const named = unique("releases").flatMap((span) => (span === "all" ? [] : span.split("–")));
  const releases = [...new Set(["1.34", ...named])].sort((one, other) => minor(one) - minor(other));

  const select = (key, title, options) => {
    const label = document.createElement("label");
    label.textContent = title + " ";
    const box = document.createElement("select");
    box.id = "rule-" + key;
    for (const [value, text] of [["", "any"], ...options]) box.add(new Option(text, value));
    label.append(box);
    place.append(label);
    return box;
  };
  const areas = sections.map(({ heading }) => {
    const text = heading.textContent.replace("¶", "").trim();
    return [text[0], text.replace(/^\dxx: /, "")];
  });
  const area = select("area", "Area", areas);
  const severity = select("severity", "Severity", unique("severity").map((one) => [one, one]));
  const release = select("release", "Kubernetes", releases.map((one) => [one, one]));
  const fix = select("fix", "Fix", [["yes", "any fix"], ["safe", "safe"], ["unsafe", "unsafe"], ["none", "none"]]);
  const words = document.createElement("input");
  words.type = "search";
  words.id = "rule-words";
  words.placeholder = "Code or words";
  words.setAttribute("aria-label", "Code or words");
  const count = document.createElement("span");
  count.id = "rule-count";
  count.setAttribute("role", "status");
  place.append(words, count);

  const shown = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const rule of rows) {
      const text = `${rule.code} ${rule.name} ${rule.finds}`.toLowerCase();
      const fits =
        (!area.value || rule.code[3] === area.value) &&
        (!severity.value || rule.severity === severity.value) &&
        (!release.value || holds(rule.releases, release.value)) &&
        (!fix.value || (fix.value === "yes" ? rule.fix !== "none" : rule.fix === fix.value)) &&
        wanted.every((word) => text.includes(word));
      rule.row.hidden = !fits;
      left += fits;
    }
    for (const { table, heading } of sections) {
      const empty = ![...table.querySelectorAll("tbody tr")].some((row) => !row.hidden);
      heading.hidden = empty;
      (table.closest(".md-typeset__scrollwrap") || table).hidden = empty;
    }
    count.textContent = `${left} of ${rows.length} rules`;
  };
  place.addEventListener("input", shown);
  shown();
})();
