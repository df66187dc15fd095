import { formatDiagnostic, InputError } from "../../../support/diagnostics.js";
import type { OutputFile } from "../../../generator/core/contract.js";
import type { SpecSource } from "../../../generator/input/source.js";
import { defaultTargets } from "../../../generator/targets/registry.js";
import { changed } from "../../support/random/json.js";
import { protoImports, randomProto } from "../../support/random/protos.js";
import type { Random } from "../../support/random/random.js";
import { findSource, generateFrom, sourceOf } from "../../support/output.js";
import { typeProblems } from "../../product/types/compile.js";
import type { Attack, Campaign } from "../../support/campaign.js";
import { changedTokens, differingLines, nastyLine, renamed, smallerText } from "./mutate-text.js";
import { bareCode, syntaxProblems } from "./typescript.js";

interface Case {
  /** The original specification. Absent if the text is not derived from a specification. */
  readonly base: string | undefined;
  readonly part: "proto" | "schema" | "manifest";
  readonly text: string;
  /** Whether the output is compiled, too, and not only parsed. */
  readonly isCompiled: boolean;
}

const protos = ["1.0", "0.3.0", "0.4-draft", "test/fixtures/everything/everything.proto"];
const schemas = ["0.3.0", "0.2.1", "0.1.0"];
const manifests = ["1.0", "1.0.0", "0.3.0", "0.2.6", "0.4-draft", "0.1.0"];

/** Interval at which outputs are compiled, for changed and for random specifications. */
const samples = { changed: 12, madeUp: 8 };

/**
 * Specifications that were changed, or made up, from which code is generated that compiles, or
 * none.
 */
export const specifications: Campaign<Case> = {
  name: "specifications in the generator",
  open: async () => {
    // The compiler reads its libraries once, and they stay.
    await expectCompiling((await generateFrom(findSource("1.0"))).files);
    return attack;
  },
};

const attack: Attack<Case> = {
  limitMs: 10_000,
  generate(random) {
    const given = caseFor(random);
    const times = given.base === undefined ? samples.madeUp : samples.changed;
    return { ...given, isCompiled: random.oneIn(times) };
  },
  attempt: outcomeOf,
  *smaller(given) {
    // Changes of a long text are small and are printed as a difference.
    if (given.base === undefined)
      for (const text of smallerText(given.text)) yield { ...given, text };
  },
  print: ({ base, part, text }) =>
    base === undefined
      ? text
      : `the ${part} of ${base}:\n${differingLines(text, partOf(findSource(base), part))}`,
};

function caseFor(random: Random): Omit<Case, "isCompiled"> {
  switch (random.below(6)) {
    case 0:
    case 1: {
      const text = randomProto(random);
      return {
        base: undefined,
        part: "proto",
        text: random.oneIn(4) ? changedTokens(text, random) : text,
      };
    }
    case 2:
      return mutated(random.pick(manifests), "manifest", random);
    case 3:
      return mutated(random.pick(schemas), "schema", random);
    default:
      return mutated(random.pick(protos), "proto", random);
  }
}

function mutated(base: string, part: Case["part"], random: Random): Omit<Case, "isCompiled"> {
  const text = partOf(findSource(base), part);
  const kind = random.below(3);
  if (kind === 0) return { base, part, text: renamed(text, random) };
  if (kind === 1 && part === "schema")
    return {
      base,
      part,
      text: JSON.stringify(changed(JSON.parse(text), random, schemaWords), null, 1),
    };
  return { base, part, text: changedTokens(text, random) };
}

const schemaWords = [
  ...[
    "type",
    "properties",
    "required",
    "items",
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    "$ref",
    "description",
  ],
  ...[
    "additionalProperties",
    "definitions",
    "format",
    "minItems",
    "pattern",
    "default",
    "__proto__",
    "constructor",
  ],
];

function partOf({ proto, schema, manifests }: SpecSource, part: Case["part"]) {
  const texts = { proto: proto?.text, schema: schema?.text, manifest: manifests.at(-1)?.text };
  return texts[part] ?? "";
}

function sourceFor({ base, part, text }: Case) {
  if (base === undefined) return sourceOf(text, protoImports);
  const source = findSource(base);
  if (part === "manifest") {
    const last = source.manifests.at(-1);
    return {
      ...source,
      manifests: [...source.manifests.slice(0, -1), { file: last?.file ?? "manifest.yaml", text }],
    };
  }
  const old = source[part];
  return { ...source, [part]: { file: old?.file ?? `a2a.${part}`, text } };
}

async function outcomeOf(given: Case) {
  const files = await filesOf(sourceFor(given));
  const what = given.base === undefined ? "made-up proto" : given.part;
  if (files === undefined) return `${what} refused`;
  expectWhole(files);
  if (!given.isCompiled) return `${what} generated`;
  await expectCompiling(files);
  return `${what} generated and compiled`;
}

/** Generates all targets. Returns `undefined` if the input is refused with an `InputError`. */
async function filesOf(source: SpecSource) {
  const documents = source.manifests.length > 0 ? ["schema", "openapi", "openrpc"] : ["schema"];
  try {
    return (await generateFrom(source, { targets: [...defaultTargets(), ...documents] })).files;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expectClear(error);
    return undefined;
  }
}

/** Expects that a refusal says where, what, and what to do. */
function expectClear({ diagnostics }: InputError) {
  if (diagnostics.length === 0) throw new Error("a refusal says nothing");
  for (const diagnostic of diagnostics) {
    const { location, message, hint } = diagnostic;
    const text = formatDiagnostic(diagnostic);
    if (location?.file === undefined) throw new Error(`a refusal names no location: ${text}`);
    if (message.trim() === "" || hint.trim() === "")
      throw new Error(`a refusal lacks words: ${text}`);
    if (
      /\bundefined\b(?!["'.\w])|\[object |\bNaN\b(?!["'.\w])|TypeError|Cannot read/.test(
        text.replaceAll(/"[^"]*"/g, ""),
      )
    )
      throw new Error(`a refusal shows the inside: ${text}`);
  }
}

async function expectCompiling(files: readonly OutputFile[]) {
  const [problem] = await typeProblems({ files });
  if (problem !== undefined) throw new Error(`the output does not compile: ${problem}`);
}

function expectWhole(files: readonly OutputFile[]) {
  const [problem] = syntaxProblems(files.filter(({ path }) => !path.startsWith("runtime/")));
  if (problem !== undefined) throw new Error(`the output cannot be parsed: ${problem}`);
  for (const { path, text } of files) if (path.endsWith(".json")) JSON.parse(text);
}

interface DocCase {
  readonly base: string;
  /** The text of each comment. */
  readonly comments: readonly string[];
}

/**
 * Nasty text in all comments of a specification, which changes nothing in the code but comments and
 * strings.
 */
export const docComments: Campaign<DocCase> = {
  name: "doc comments in the generator",
  open() {
    const baselines = new Map<string, Promise<string>>();
    const baseline = async (base: string) => {
      const known =
        baselines.get(base) ?? codeOf(withDocs(findSource(base), () => "Says nothing."));
      baselines.set(base, known);
      return await known;
    };
    return {
      limitMs: 10_000,
      generate: (random) => ({
        base: random.pick(["1.0", "0.3.0", "test/fixtures/everything/everything.proto"]),
        comments: Array.from({ length: 40 }, () => nastyLine(random)),
      }),
      async attempt({ base, comments }) {
        let index = 0;
        const source = withDocs(
          findSource(base),
          () => comments[(index += 1) % comments.length] ?? "",
        );
        const [expected, found] = [await baseline(base), await codeOf(source)];
        if (found === expected) return base;
        let at = 0;
        while (expected[at] === found[at]) at += 1;
        throw new Error(
          `${expected.slice(Math.max(0, at - 40), at + 80)} became ${found.slice(Math.max(0, at - 40), at + 80)}`,
        );
      },
    };
  },
};

const comment = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/**
 * Gives every comment of a proto, every line that declares something, and every text of an overlay
 * another text.
 */
function withDocs({ proto, docs, ...source }: SpecSource, next: () => string): SpecSource {
  const bare = (proto?.text ?? "").replaceAll(comment, (_, text: string | undefined) => text ?? "");
  const text = bare.replaceAll(/^[ \t]*\w.*[;{]/gm, (line) => {
    const words = next();
    const above = words
      .split(/[\n\r]/)
      .map((each) => `//${each}\n`)
      .join("");
    const block = `/** ${words.replaceAll("*/", "* /").replaceAll(/[*/]$/g, "")} */\n`;
    return `${above}${words.length % 2 === 0 ? block : ""}${line}`;
  });
  const overlay = docs.map(({ file, text: old }) => ({
    file,
    text: old.replaceAll(
      /^([\w."*]+):[^\n]*(?:\n[ \t]+[^\n]*|\n(?=\n))*/gm,
      (_, key: string) => `${key}: ${JSON.stringify(next())}`,
    ),
  }));
  return { ...source, docs: overlay, ...(proto !== undefined && { proto: { ...proto, text } }) };
}

/** All code that is generated, without comments and what is in strings. */
async function codeOf(source: SpecSource) {
  const { files } = await generateFrom(source, { targets: [...defaultTargets(), "schema"] });
  expectWhole(files);
  const own = files.filter(({ path }) => path.endsWith(".ts") && !path.startsWith("runtime/"));
  return own.map(bareCode).join("\n");
}
