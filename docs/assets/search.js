// Runs before the theme's worker, in the same file: makes words of what is typed or pasted into the search.
// The worker takes ":", "~", "^", "+" and "-" for operators, so that it finds nothing for many error messages. It looks for
// all words that begin with a word of the search: "to" finds "toleration", and "sharing" does not find "shared".
addEventListener("message", ({ data: message }) => {
  if (message.type !== 2) return;
  const words = message.data.split(/[^\p{L}\p{N}_.]+|(?<![\p{L}\p{N}])\.|\.(?![\p{L}\p{N}])/u).filter(Boolean);
  const stem = (word) => word.replace(/(?<=..[^s])s$/, "").replace(/(?<=...)(?:ing|ed)$/, "");
  const idle = (word) => word.length < 2 || !self.lunr.stopWordFilter(word) || IDLE.has(word) || IDLE.has(stem(word));
  const kept = words.filter((word) => !idle(word.toLowerCase()));
  message.data = (kept.length ? kept : words).flatMap((word) => [word, ...parts(word)]).map(stem).join(" ");
});
// "ExtendedResourcesAPI" also finds "extended resources".
const parts = (word) => word.split(/(?<=[a-z])(?=[A-Z])/).filter((part, _, all) => all.length > 2 && part.length > 3);
// What people write around a question, in addition to the stop words of the worker, and what every page is about.
const IDLE = new Set(("able add allow cannot document docs does don feature get give guide help issue make need possible " +
  "question questions support use using want way result dra k8s kubernetes kep").split(" "));
