/** Words of questions that say nothing about the answer. */
const stopWords = new Set(
  (
    "a about after all am an and any are as at be by can could did do does every for from get had " +
    "has have how i if in into is it its let make me my of on one or our should so some that " +
    "the their them then there these this those to use used uses using via want was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);

/** Words of the pages, by a word of a question. */
const synonyms = {
  "next.js": ["next"],
  nextjs: ["next"],
  deploy: ["deployment"],
  k8s: ["kubernetes"],
  docker: ["containers"],
  file: ["files"],
  upload: ["upload", "files"],
  attachment: ["files"],
  oauth: ["oauth", "authentication"],
  protect: ["authentication"],
  login: ["authentication", "sign-ins"],
  crash: ["crashes"],
  restart: ["crashes"],
  resume: ["resumed", "crashes"],
  call: ["call", "client"],
  old: ["old", "version", "client"],
  older: ["old", "version", "client"],
  cors: ["cors", "origins"],
  test: ["testing"],
  throw: ["throw", "errors"],
  install: ["install", "started"],
  webhook: ["webhooks", "push"],
  webhooks: ["webhooks", "push"],
};

/**
 * Weights of pages, if not 1. Questions are about guides: about moving to other names,
 * attacks and the project itself, a page is right only if no guide is.
 */
const weights = [
  [/^\/(?:changelog|contributing|architecture|benchmarks|interop)\b/, 0.2],
  [/^\/(?:threat-model|coming-from-|upgrade|earlier-names|project|diff|manifest)\b/, 0.3],
  [/^\/(?:readme|index|glossary|configuration|generated-code|reference\/|(?:#|$))/, 0.5],
];

/** Weight of the start of a page, compared with a section. */
const startOfPage = 1.5;

/** Weight of a function or a type in the reference of the library, if a question names it. */
const named = 2.5;

/** Whether a section is about a name of several words, such as `taskService`. */
function isNamed(id, term, title) {
  const isName = id.startsWith("/reference/api/") && /[a-z][A-Z]/.test(title);
  return isName && title.toLowerCase() === term;
}

/**
 * Options of the search. The index contains each word of the pages; these options choose the
 * words of a question.
 */
export const searchOptions = {
  boost: { title: 6, titles: 3, text: 1 },
  tokenize: (text) => text.toLowerCase().split(/[^\p{L}\p{N}.$@]+/u),
  processTerm: (word) => {
    const term = word.replaceAll(/^\.+|\.+$/g, "");
    if (term === "" || stopWords.has(term)) return undefined;
    return synonyms[term] ?? (term.includes(".") ? term.split(".") : term);
  },
  prefix: (term) => term.length > 3,
  fuzzy: (term) => (term.length > 5 ? 0.2 : false),
  boostDocument: (id, term, { title, titles }) =>
    (weights.find(([pages]) => pages.test(id))?.[1] ?? 1) *
    (titles.length === 0 ? startOfPage : 1) *
    (titles.length > 0 && isNamed(id, term, title) ? named : 1),
};
