import { describe, expect, it } from "vitest";
import { parseYaml } from "../../../../../support/yaml.js";
import { readManifests } from "../../../../../generator/input/manifest/manifest.js";
import { pointerOf } from "../../../../../support/json-pointer.js";
import { Diagnostics } from "../../../../../support/diagnostics.js";
import type { OutputFile } from "../../../../../generator/core/contract.js";
import type { SpecSource } from "../../../../../generator/input/source.js";
import { findSource, generateFrom, textOf } from "../../../../support/output.js";
import fc from "../../../../support/properties.js";
import { seed } from "../../../../support/seed.js";
import { sized } from "../../../../support/size.js";
import { codeOf } from "../../code-of.js";
import { problemsOf } from "../proto/reading.js";
import { placesIn, replaceAt, type StringPlace } from "./string-places.js";

/** The word that all hostile texts are made of, so that code which has it came from one. */
const word = "zq9z";

/**
 * Texts that end what they stand in: lists of imports and exports, comments, strings, templates,
 * statements.
 */
const endings = [
  `${word} } from "./errors.js"; ${word}(); export { TaskNotFoundError as ${word}`,
  `${word} = 1; ${word}(); export type ${word}`,
  `*/ ${word}(); /*`,
  `${word}"; ${word}(); "`,
  `${word}" + ${word} + "`,
  `${word}\\`,
  `${word}\n${word}();\n`,
  `${word}\u2028${word}()`,
  `\${${word}()}`,
  `{{${word}}}`,
  `{${word}}`,
  `${word}.${word}()`,
  `${word}-${word}`,
  `${word} ${word}`,
  `${word} |`,
  `/${word}/{${word}}`,
];

const delimiters = [
  ...Array.from("\"'`\\\n\r\u2028{}()[]<>;:,.*/$#@?=|&+- "),
  "*/",
  "/*",
  "//",
  "${",
  "{{",
  "}}",
  "=>",
];

/** Texts of words and delimiters in any order, none of which is an identifier. */
const hostile = fc
  .array(fc.tuple(fc.constantFrom(...delimiters), fc.constantFrom(word, "")), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => word + parts.flat().join(""));

const hasWord = (text: string) => text.includes(word);

/**
 * Returns whether a file of the output depends on the specification; support modules are copied.
 */
const isWritten = ({ path }: OutputFile) =>
  !/^(runtime|kit)\//.test(path) || path === "kit/facts.ts";

/** Returns the manifest of a version with everything that it extends. */
function manifestOf(source: SpecSource): unknown {
  return JSON.parse(JSON.stringify(readManifests(source, new Diagnostics()).manifest));
}

/**
 * Returns a specification with another manifest, which an empty one extends, so that it may name
 * unknown fields.
 */
function withManifest(source: SpecSource, manifest: unknown): SpecSource {
  const extended = { file: "manifest.yaml", text: JSON.stringify(manifest) };
  return { ...source, manifests: [extended, { file: "own.yaml", text: "{}" }] };
}

/** Returns the pointer of a value in a manifest in which values have other texts. */
function pointerIn(
  places: readonly StringPlace[],
  { path }: StringPlace,
  textAt: (place: StringPlace) => string,
) {
  const keys = new Map(
    places.filter(({ isKey }) => isKey).map((place) => [JSON.stringify(place.path), place]),
  );
  const parts = path.map((part, at) => {
    const key = keys.get(JSON.stringify(path.slice(0, at + 1)));
    return String(key === undefined ? part : textAt(key));
  });
  return pointerOf(parts);
}

describe.each(["1.0", "0.3.0"])("hostile strings in the manifest of %s", (version) => {
  const source = findSource(version);
  const manifest = manifestOf(source);
  const places = placesIn(manifest);
  const kinds = [...new Set(places.map(({ kind }) => kind))].map((kind) =>
    places.filter((place) => place.kind === kind),
  );
  // As many that 5 does not divide them, so that every path has each of them in turn.
  const texts = [...endings, ...fc.sample(hostile, { seed, numRuns: 20 })];

  const changed = (
    at: readonly StringPlace[],
    textAt: (place: StringPlace) => string,
  ): SpecSource => withManifest(source, replaceAt(manifest, at, textAt));

  /** Returns the paths in the errors of a manifest. All problems have a location. */
  function refused(
    places: readonly StringPlace[],
    textAt: (place: StringPlace) => string,
  ): readonly StringPlace[] {
    const problems = problemsOf(changed(places, textAt));
    if (problems.length === 0) return [];
    for (const problem of problems)
      expect(problem).toMatch(/^(manifest\.yaml|spec\/[\w./-]+):\d+:\d+: /);
    const columns = new Set(
      problems.map((problem) => Number(/^manifest\.yaml:1:(\d+): /.exec(problem)?.[1])),
    );
    const { offsets } = parseYaml(JSON.stringify(replaceAt(manifest, places, textAt)));
    const blamed = places.filter((place) =>
      columns.has((offsets[pointerIn(places, place, textAt)] ?? NaN) + 1),
    );
    if (blamed.length > 0) return blamed;
    // An entry that refers to a key by its former name has the location, and the name in quotes.
    const names = new Set(
      problems.flatMap((problem) => [...problem.matchAll(/"([^"]*)"/g)].map(([, name]) => name)),
    );
    const renamed = places.filter(({ isKey, path }) => isKey && names.has(String(path.at(-1))));
    return renamed.length > 0 ? renamed : [firstRefused(places, textAt)];
  }

  /** Returns the first path that causes a refusal together with the paths before it. */
  function firstRefused(places: readonly StringPlace[], textAt: (place: StringPlace) => string) {
    let [right, wrong] = [0, places.length];
    while (wrong - right > 1) {
      const middle = Math.floor((right + wrong) / 2);
      if (problemsOf(changed(places.slice(0, middle), textAt)).length === 0) right = middle;
      else wrong = middle;
    }
    return places[wrong - 1] ?? expect.unreachable("No place is refused");
  }

  /** Returns paths without the refused paths. */
  function settled(candidates: readonly StringPlace[], textAt: (place: StringPlace) => string) {
    const out = new Set(refused(candidates, textAt));
    if (out.size === 0) return candidates;
    return settled(
      candidates.filter((place) => !out.has(place)),
      textAt,
    );
  }

  /**
   * Returns the paths that can have their texts together. A key and its value have one location, so
   * each has a turn.
   */
  function accepted(candidates: readonly StringPlace[], textAt: (place: StringPlace) => string) {
    const sides = [false, true].map((isKey) => candidates.filter((place) => place.isKey === isKey));
    return settled(
      sides.flatMap((places) => settled(places, textAt)),
      textAt,
    );
  }

  // Each turn takes a second. The seed selects where the turns start, so that other seeds test
  // other texts.
  it.each(Array.from({ length: sized(1, 4) }, (_, turn) => (seed + turn) % texts.length))(
    "a hostile string is refused, or becomes the text of literals and comments (number %i)",
    async (turn) => {
      const chosen = kinds.flatMap((alike) => alike[turn % alike.length] ?? []);
      const textAt = (place: StringPlace) =>
        texts[(chosen.indexOf(place) + turn * 5) % texts.length] ?? word;
      const taken = accepted(chosen, textAt);
      const { files } = await generateFrom(changed(taken, textAt));
      const { errors, names } = codeOf(files.filter(isWritten));
      const told = taken
        .map((place) => `${place.kind}: ${JSON.stringify(textAt(place))}`)
        .join("\n");
      expect(errors, told).toEqual([]);
      expect(names.filter(hasWord), told).toEqual([]);
    },
  );
});

describe("a hostile JSON name of a field that the manifest refers to", () => {
  it.each(['"', "*/", "`${", "\\", "\n", "a b"])(
    "the name becomes the text of a literal: %j",
    async (delimiter) => {
      const name = `signatures${delimiter}${word}`;
      const { proto = { file: "", text: "" }, ...rest } = findSource("1.0");
      const field = /(?<=repeated AgentCardSignature signatures = \d+)(?=[;\s])/;
      const text = proto.text.replace(field, ` [json_name = ${JSON.stringify(name)}]`);
      const manifest = { file: "m.yaml", text: JSON.stringify({ card: { signatures: name } }) };
      const source = {
        ...rest,
        proto: { ...proto, text },
        manifests: [...rest.manifests, manifest],
      };
      const output = await generateFrom(source);
      const { errors, names } = codeOf(output.files.filter(isWritten));
      expect(errors).toEqual([]);
      expect(names.filter(hasWord)).toEqual([]);
      expect(textOf(output, "server/agent.ts")).toContain(JSON.stringify(name));
    },
  );
});
