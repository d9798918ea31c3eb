// A filter above tables, and buttons that copy a cell. Without JavaScript, the tables are whole and the text can be selected.
(() => {
  const copy = (cell) => {
    const button = document.createElement("button");
    button.className = "copy-cell";
    button.textContent = "copy";
    button.title = "Copy this expression";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(cell.textContent);
        button.textContent = "copied";
      } catch {
        getSelection().selectAllChildren(cell);
      }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    cell.after(" ", button);
  };
  document.querySelectorAll("code.copied").forEach(copy);

  const place = document.querySelector(".table-filter");
  if (!place) return;
  const rows = [...document.querySelectorAll("article table.cards tbody tr")];
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = `Filter ${place.dataset.rows}`;
  input.setAttribute("aria-label", input.placeholder);
  const count = document.createElement("span");
  count.setAttribute("role", "status");
  place.append(input, count);
  const shown = () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} ${place.dataset.rows}`;
  };
  input.addEventListener("input", shown);
  shown();
})();
