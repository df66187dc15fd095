import { beforeAll, describe, expect, it } from "vitest";
import { documentTypes } from "../../generator/document/schema.js";
import { check, type Issue, type Validation } from "../../library/runtime/schema/schema.js";
import { schemaSource } from "../unit/generator/targets/validators/emitted.js";
import { keywordDefinitions } from "../unit/generator/targets/validators/keywords.js";
import { derivedSchema, judgesOf } from "./ajv.js";
import { casesOf, eachType, tryAll } from "./cases.js";
import { unsaid } from "./differences.js";
import { changed, json, object } from "../support/random/json.js";
import { keysOf, Values } from "../support/random/values.js";
import type { Random } from "../support/random/random.js";
import { definitionsOf, SchemaDocuments } from "../support/random/documents.js";
import { bundled, fromFile, fromSource, versions, type Module, type Subject } from "./subjects.js";

const subjects: readonly Subject[] = [
  ...versions.filter((version) => version !== "1.0.0").map(bundled),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
  fromSource("keywords", schemaSource(keywordDefinitions)),
];

/** Text and keys that Ajv's search for duplicates mistakes for members that every object has. */
const inherited = /"(?:__proto__|constructor|toString|valueOf)"/;

const counts = { valid: 0, invalid: 0 };

describe.each(subjects)("the validators of $name", ({ name: subject, source, protocol, load }) => {
  const schema = source.schema && (JSON.parse(source.schema.text) as Record<string, unknown>);
  const published = schema && judgesOf(schema);
  const derived = judgesOf(derivedSchema(protocol));
  const built = documentTypes(protocol);
  const documents = documentsOf(schema, protocol);
  let validators: Module;

  beforeAll(async () => {
    validators = await load("validators");
  });

  const fullNames = new Map(protocol.types.map(({ name, fullName }) => [name, fullName]));
  const isPublished = (name: string) =>
    schema !== undefined && Object.hasOwn(definitionsOf(schema), fullNames.get(name) ?? "");

  const document = (name: string, random: Random) => {
    const kind = random.below(8);
    if (kind === 7)
      return random.oneIn(2) ? json(random, documents.keys) : object(random, documents.keys);
    const value = documents.of(name, fullNames.get(name) ?? name, random);
    return kind < 3 ? value : changed(value, random, documents.keys);
  };

  eachType(
    protocol.types.map(({ name }) => name),
    "the validator of %s agrees with Ajv",
    (name) => {
      const judge = isPublished(name) ? published?.(fullNames.get(name) ?? "") : undefined;
      const ownJudge = derived(name);
      const is = validators(`is${name}`) as (value: unknown) => boolean;
      const validate = validators(`validate${name}`) as (value: unknown) => Validation<unknown>;
      const parse = validators(`parse${name}`);
      const type = built.get(name);
      if (type === undefined) throw new Error(`Unknown type ${name}`);
      return tryAll({
        name: `${subject} ${name}`,
        cases: casesOf(1_000),
        generate: (random) => document(name, random),
        complaint: (value) => {
          if (subject === "keywords" && inherited.test(JSON.stringify(value))) return undefined;
          const isValid = is(value);
          counts[isValid ? "valid" : "invalid"] += 1;
          const { issues } = validate(value);
          if ((issues === undefined) !== isValid)
            return `the guard says ${isValid}, and the validator does not`;
          const [own, checked] = [issues, check(type, value, "strict").issues].map(messagesOf);
          if (own !== checked)
            return `the command validate finds ${checked}, and the validator ${own}`;
          const isDerived = ownJudge.accepts(value);
          // Issues that a schema can express. The first of these must be at a path at which Ajv
          // also reports an issue.
          const [first] =
            issues?.filter((issue) => !unsaid.some(({ covers }) => covers(issue))) ?? [];
          if (isDerived !== isValid && !(isDerived && first === undefined))
            return `the derived schema returns ${isDerived}`;
          if (judge !== undefined && judge.accepts(value) !== isValid)
            return `the published schema returns ${!isValid}`;
          // As ProtoJSON, members with the names of the proto mean something to parsers, and
          // nothing to guards.
          if (isValid)
            return judge?.accepts(parse(value)) === false ? "parsing makes it invalid" : undefined;
          if (
            first === undefined ||
            isDerived ||
            (judge ?? ownJudge).places(value).has(first.pointer)
          )
            return undefined;
          return `Ajv finds nothing wrong where this is: ${first.message}`;
        },
      });
    },
  );
});

it("the comparison covered thousands of valid and invalid documents", () => {
  if (process.env["ORACLE_TYPE"] !== undefined) return;
  expect(counts.valid).toBeGreaterThan(10 * casesOf(1_000));
  expect(counts.invalid).toBeGreaterThan(10 * casesOf(1_000));
});

function messagesOf(issues: readonly Issue[] = []) {
  return issues.map(({ message }) => message).join("\n");
}

interface Documents {
  readonly keys: readonly string[];
  readonly of: (name: string, fullName: string, random: Random) => unknown;
}

/**
 * Documents as the published schema defines them if it defines their type, and otherwise as the
 * protocol does.
 */
function documentsOf(
  schema: Record<string, unknown> | undefined,
  protocol: Subject["protocol"],
): Documents {
  const values = new Values(protocol);
  if (schema === undefined)
    return { keys: keysOf(protocol), of: (name, _, random) => values.of(name, random) };
  const definitions = definitionsOf(schema);
  const documents = new SchemaDocuments(definitions);
  return {
    keys: documents.keys,
    of: (name, fullName, random) =>
      Object.hasOwn(definitions, fullName)
        ? documents.of(fullName, random)
        : values.of(name, random),
  };
}
