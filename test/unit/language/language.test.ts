import { describe, expect, it } from "vitest";
import { avoidedInNames, avoidedWords, senses, termPhrases } from "./glossary.js";
import { phrases, titleProblem, type Phrase } from "./phrases.js";
import { filesBelow, read, textsOf, type Content, type Name, type Text } from "./texts.js";

const words = avoidedWords();
const all: readonly Phrase[] = [...phrases, ...termPhrases(words)];
const names = avoidedInNames(words);

/** Files that quote what they forbid. */
const quoting = (file: string) =>
  file === "docs/glossary.md" || file.startsWith("test/unit/language/");

const areas: Readonly<Record<string, readonly string[]>> = {
  "the pages at the top": ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"],
  ...Object.fromEntries(
    [
      "docs",
      "templates",
      "library",
      "generator",
      "support",
      "tools",
      "build",
      "bench",
      "examples",
      "test",
    ].map((area) => [area, filesBelow(area)]),
  ),
};

const contents = new Map<string, readonly Content[]>();

/** Reads an area once. */
function contentOf(area: string) {
  const found =
    contents.get(area) ?? (areas[area] ?? []).filter((file) => !quoting(file)).map(read);
  contents.set(area, found);
  return found;
}

/** Returns the texts of an area. Messages in tests are input, or come from the code under test. */
function textsIn(area: string): readonly Text[] {
  const texts = contentOf(area).flatMap((content) => content.texts);
  return area === "test" ? texts.filter(({ kind }) => kind !== "message") : texts;
}

/** Returns a line for each phrase to avoid in a text, once for phrases that overlap. */
function findings({ file, line, kind, text }: Text) {
  let rest = text;
  return all.flatMap(({ pattern, use, kinds }) => {
    const found = kinds === undefined || kinds.includes(kind) ? pattern.exec(rest) : null;
    if (found === null) return [];
    const [phrase] = found;
    rest =
      rest.slice(0, found.index) +
      "…".repeat(phrase.length) +
      rest.slice(found.index + phrase.length);
    return [`${file}:${line}: "${phrase.trim()}" in "${excerpt(text, found.index)}": use ${use}`];
  });
}

const excerpt = (text: string, index: number) => text.slice(Math.max(0, index - 30), index + 50);

/** Splits a name such as `#pathOfField` or `MAX_SIZE` into words in lower case. */
const wordsOf = (name: string) =>
  name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((each) => each.toLowerCase());

function nameFindings({ file, line, name }: Name) {
  return wordsOf(name).flatMap((word) => {
    const use = names.get(word) ?? names.get(word.replace(/s$/, ""));
    return use === undefined ? [] : [`${file}:${line}: ${name}: use ${use} in place of ${word}`];
  });
}

describe("the language of the project", () => {
  it.each(Object.keys(areas))("%s use plain English and the terms of the glossary", (area) => {
    expect(textsIn(area).flatMap(findings)).toEqual([]);
  });

  it.each(["generator", "support", "tools", "templates", "library"])(
    "the names in %s use the terms of the glossary",
    (area) => {
      expect([
        ...new Set(contentOf(area).flatMap((content) => content.names.flatMap(nameFindings))),
      ]).toEqual([]);
    },
  );

  it("each title of a test starts with its subject", () => {
    const titles = textsIn("test").filter(({ kind }) => kind === "title");
    const found = titles.flatMap(({ file, line, text }) => {
      const problem = titleProblem(text);
      return problem === undefined ? [] : [`${file}:${line}: "${text}": ${problem}`];
    });
    expect(found).toEqual([]);
    expect(titles.length).toBeGreaterThan(2_000);
  });

  it.each(["generator", "tools", "library", "test"])(
    "comments in %s have conditions with if, not with where",
    (area) => {
      const comments = textsIn(area).filter(({ kind }) => kind === "comment");
      const count = (word: RegExp) =>
        comments.reduce((sum, { text }) => sum + (text.match(word)?.length ?? 0), 0);
      expect(count(/\bif\b/gi)).toBeGreaterThan(3 * count(/\bwhere\b/gi));
    },
  );
});

describe("the search for phrases", () => {
  const found = (file: string, source: string) => textsOf(file, source).texts.flatMap(findings);

  it.each([
    ["// Who holds the lease writes.\n", "Who"],
    ["/** What the\n * caller gets. */\n", "What"],
    ["const a = 1; // It goes on.\n", "goes on"],
    ['throw new Error("there is no such file here");\n', "there is no"],
    ["const text = `the option ${name} has to be a number`;\n", "has to be"],
    ['it.each(rows)("nobody waits for %s", () => {});\n', "nobody"],
    ["const sql = `\n  -- A row whose task somebody deletes.\n  SELECT 1`;\n", "somebody"],
    ["/** Remedy of an error message. */\n", "Remedy"],
  ])("the search finds the phrase in %j", (source, phrase) => {
    expect(found("a.ts", source)).toEqual([expect.stringContaining(`"${phrase}"`)]);
  });

  it.each([
    ["a.ts", "/** Returns `there is no` as text. */\n"],
    ["a.ts", 'const url = "https://example.org/nobody//who";\n'],
    ["a.ts", "const pattern = /\\/\\/ nobody goes on/;\n"],
    ["a.ts", 'const proto = "message Nobody { string who_goes_on = 1; }";\n'],
    ["a.md", "```ts\n// nobody goes on\n```\n"],
  ])("the search in %s ignores code: %j", (file, source) => {
    expect(found(file, source)).toEqual([]);
  });

  it("a finding names the file, the line, the phrase and the term to use", () => {
    expect(found("docs/a.md", "# Title\n\nThe message and its remedy.\n")).toEqual([
      'docs/a.md:3: "remedy" in "The message and its remedy.": use hint',
    ]);
  });

  it("a name with an avoided word is found in all spellings", () => {
    const { names: used } = textsOf(
      "a.ts",
      "class A { #remedyOf() { return REMEDY_TEXT + remedies; } }\n",
    );
    expect(used.flatMap(nameFindings).map((line) => line.split(": ")[1])).toEqual([
      "#remedyOf",
      "REMEDY_TEXT",
    ]);
  });

  it.each(["is refused", "of a task", "returns a task if it exists", "but not twice"])(
    "a title without a subject is found: %s",
    (title) => {
      expect(titleProblem(title)).toBeDefined();
    },
  );

  it("the glossary has words to avoid, and each allowed meaning belongs to one of them", () => {
    expect(words.length).toBeGreaterThan(50);
    const known = new Set(words.map(({ word }) => word));
    expect(Object.keys(senses).filter((word) => !known.has(word))).toEqual([]);
  });
});
