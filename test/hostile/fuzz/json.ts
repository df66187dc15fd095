import { isDeepStrictEqual } from "node:util";
import * as protoJson from "../../../generated/0.3.0/protojson.js";
import type { Mapping } from "a2a-codegen-runtime/internal/protobuf";
import * as forgiver from "../../../library/runtime/schema/forgiver.js";
import {
  check,
  type Issue,
  type Type,
  type Validation,
} from "../../../library/runtime/schema/schema.js";
import type { Random } from "../../support/random/random.js";
import { keysOf, Values } from "../../support/random/values.js";
import type { Subject } from "../../oracle/subjects.js";
import type { Campaign } from "../../support/campaign.js";
import { nastyJson, smallerJson, textOf } from "./nasty-json.js";
import { subjects } from "./subjects.js";

interface Case {
  readonly target: string;
  readonly value: unknown;
}

/** Target that reads JSON. */
interface Target {
  readonly name: string;
  readonly keys: readonly string[];
  /** A good value. */
  readonly value: (random: Random) => unknown;
  /** Returns the outcome of a value. Throws if the outcome is wrong. */
  readonly take: (value: unknown) => string;
}

/**
 * Random and changed JSON, which validators and mappings take or refuse with a `ValidationError`.
 */
export const documents: Campaign<Case> = {
  name: "JSON in the validators and mappings",
  async open() {
    const targets = [...(await Promise.all(subjects.map(validatorsOf))).flat(), ...mappings()];
    const known = new Map(targets.map((target) => [target.name, target]));
    return {
      limitMs: 500,
      generate(random) {
        const { name, keys, value } = random.pick(targets);
        return { target: name, value: nastyJson(random, value(random), keys) };
      },
      attempt({ target, value }) {
        const before = textOf(value);
        const outcome = known.get(target)?.take(value) ?? "";
        if (textOf(value) !== before)
          throw new Error(`the value was changed into ${textOf(value) ?? "something"}`);
        if (Object.hasOwn(Object.prototype, "polluted"))
          throw new Error("the prototype of all objects was changed");
        return outcome;
      },
      *smaller({ target, value }) {
        for (const smaller of smallerJson(value)) yield { target, value: smaller };
      },
      print: ({ target, value }) =>
        `${(textOf(value) ?? "a value nested deep").slice(0, 2_000)} as ${target}`,
    };
  },
};

async function validatorsOf(subject: Subject): Promise<Target[]> {
  const [keys, values] = [keysOf(subject.protocol), new Values(subject.protocol)];
  const validators = await subject.load("validators");
  return subject.protocol.types.map(({ name }) => {
    const functions = {
      is: validators(`is${name}`) as (value: unknown) => boolean,
      validate: validators(`validate${name}`) as (value: unknown) => Validation<unknown>,
      assert: validators(`assert${name}`),
      parse: validators(`parse${name}`),
    };
    const schema = validators(`${name}Schema`) as unknown as Type<unknown>;
    const value = (random: Random) => values.of(name, random);
    return {
      name: `${name} of ${subject.name}`,
      keys,
      value,
      take: (given) => `${judge(functions, given)}${forgive(schema, given)}`,
    };
  });
}

/**
 * Reads a value as a peer's request or response, without and with forgiveness. Both must agree on a
 * value that is read without it, and a forgiven reading must be readable without it.
 */
function forgive(schema: Type<unknown>, value: unknown): string {
  const outcomes = (["json", "tolerant"] as const).map((mode) => {
    const deviations: Issue[] = [];
    const onDeviation = (found: readonly Issue[]): void => void deviations.push(...found);
    const strict = check(schema, value, mode, { onDeviation });
    const before = deviations.splice(0);
    const read = check(schema, value, mode, { forgiver, onDeviation });
    if (strict.issues === undefined) {
      if (!isDeepStrictEqual([read.value, deviations], [strict.value, before]))
        throw new Error(
          `forgiveness changes the reading of a valid value to ${textOf(read.value) ?? ""}`,
        );
      return "";
    }
    if (read.issues !== undefined) {
      if (read.issues.length === 0) throw new Error("a value is refused without an issue");
      return "";
    }
    if (deviations.length === 0) throw new Error("a deviation is not reported");
    const again = check(schema, read.value, mode);
    if (again.issues !== undefined || !isDeepStrictEqual(again.value, read.value))
      throw new Error(`a forgiven value is not valid: ${textOf(read.value) ?? ""}`);
    return ", forgiven";
  });
  return outcomes.includes(", forgiven") ? ", forgiven" : "";
}

interface Functions {
  readonly is: (value: unknown) => boolean;
  readonly validate: (value: unknown) => Validation<unknown>;
  readonly assert: (value: unknown) => void;
  readonly parse: (value: unknown) => unknown;
}

function judge({ is, validate, assert, parse }: Functions, value: unknown): string {
  const isValid = is(value);
  const { issues } = validate(value);
  if ((issues === undefined) !== isValid)
    throw new Error(`is says ${isValid}, and validate does not`);
  if (issues !== undefined && (issues.length === 0 || issues.length > 100))
    throw new Error(`there are ${issues.length} issues`);
  if (refused(() => assert(value)) === isValid)
    throw new Error(`is says ${isValid}, and assert does not`);
  let canonical: unknown;
  if (refused(() => (canonical = parse(value))))
    return isValid ? "valid, and not parsed" : "refused";
  if (!is(canonical)) throw new Error(`parse gives what is not valid: ${textOf(canonical) ?? ""}`);
  const again = parse(canonical);
  if (!isDeepStrictEqual(again, canonical))
    throw new Error(`parsing twice gives ${textOf(again) ?? ""}`);
  return isValid ? "valid" : "parsed";
}

/** Returns whether a function throws a `ValidationError`, and rethrows all other errors. */
function refused(attempt: () => unknown) {
  try {
    attempt();
    return false;
  } catch (error) {
    if (error instanceof Error && error.name === "ValidationError") return true;
    throw error;
  }
}

/** The mappings of 0.3.0, which read ProtoJSON into the model, and write the model as ProtoJSON. */
function mappings(): Target[] {
  const subject = subjects.find(({ name }) => name === "0.3.0");
  if (subject === undefined) throw new Error("Missing subject 0.3.0");
  const [keys, values] = [keysOf(subject.protocol), new Values(subject.protocol)];
  const messages = subject.protocol.wire?.messages ?? [];
  const exports: Readonly<Record<string, unknown>> = protoJson;
  return messages.flatMap(({ name, model }) => {
    const mapping = exports[`${name}Json`];
    if (!isMapping(mapping) || !("name" in model)) return [];
    const value = (random: Random) => {
      const given = values.of(model.name, random);
      let written: unknown;
      return random.oneIn(4) || refused(() => (written = protoJson.toProtoJson(mapping, given)))
        ? given
        : written;
    };
    return [
      {
        name: `the ProtoJSON of ${name} of 0.3.0`,
        keys,
        value,
        take: (given) => map(mapping, given),
      },
    ];
  });
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && "check" in value && "write" in value;
}

function map(mapping: Mapping, value: unknown): string {
  let read: unknown;
  if (refused(() => (read = protoJson.fromProtoJson(mapping, value)))) return "refused";
  let written: unknown;
  if (refused(() => (written = protoJson.toProtoJson(mapping, read))))
    return "parsed, and not writable";
  const again = protoJson.fromProtoJson(mapping, written);
  if (!isDeepStrictEqual(again, read))
    throw new Error(`${textOf(read) ?? ""} became ${textOf(again) ?? ""}`);
  return "parsed";
}
