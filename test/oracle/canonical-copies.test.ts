import { beforeAll, describe, expect, it } from "vitest";
import * as forgiver from "../../library/runtime/schema/forgiver.js";
import { check, type Issue, type Mode, type Type } from "../../library/runtime/schema/schema.js";
import { changed, json } from "../support/random/json.js";
import { keysOf, Values } from "../support/random/values.js";
import { casesOf, eachType, tryAll } from "./cases.js";
import { bundled, fromFile, versions, type Module, type Subject } from "./subjects.js";

const subjects: readonly Subject[] = [
  ...versions.filter((version) => version !== "1.0.0").map(bundled),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
];

const modes: readonly Mode[] = ["json", "open", "tolerant", "partial", "text"];
const counts = { canonical: 0, copied: 0, refused: 0 };

/**
 * Returns a copy of a JSON value whose objects have no prototype. A parser only returns objects as
 * they are if they have the form of `JSON.parse`, so it copies every object of this copy.
 */
function withoutPrototypes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototypes(member);
  return copy;
}

/** Reads a value, and returns everything that a caller sees. */
function read(type: Type<unknown>, value: unknown, mode: Mode, forgives: boolean) {
  const deviations: Issue[] = [];
  const { value: result, issues } = check(type, value, mode, {
    forgiver: forgives ? forgiver : undefined,
    onDeviation: (found) => deviations.push(...found),
  });
  return { result, text: JSON.stringify({ result, issues, deviations }), issues };
}

describe.each(subjects)("the parsers of $name", ({ name: subject, protocol, load }) => {
  const values = new Values(protocol);
  const keys = keysOf(protocol);
  let validators: Module;

  beforeAll(async () => {
    validators = await load("validators");
  });

  eachType(
    protocol.types.map(({ name }) => name),
    "the parser of %s returns the same with shared parts as with a full copy",
    (name) => {
      const type = validators(`${name}Schema`) as unknown as Type<unknown>;
      return tryAll({
        name: `${subject} ${name}`,
        cases: casesOf(1_000),
        generate: (random) => {
          const value = random.oneIn(8) ? json(random, keys) : values.of(name, random);
          return random.oneIn(3) ? value : changed(value, random, keys);
        },
        complaint: (value) => {
          const text = JSON.stringify(value);
          for (const mode of modes)
            for (const forgives of [false, true]) {
              const shared = read(type, value, mode, forgives);
              const copied = read(type, withoutPrototypes(value), mode, forgives);
              if (shared.text !== copied.text)
                return `in mode ${mode}, the result is ${shared.text}, not ${copied.text}`;
              if (JSON.stringify(value) !== text) return `mode ${mode} changes its input`;
              if (shared.issues !== undefined) counts.refused += 1;
              else counts[shared.result === value ? "canonical" : "copied"] += 1;
            }
          return undefined;
        },
      });
    },
  );
});

it("the comparison covered thousands of canonical, copied and refused documents", () => {
  if (process.env["ORACLE_TYPE"] !== undefined) return;
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10 * casesOf(1_000));
});
