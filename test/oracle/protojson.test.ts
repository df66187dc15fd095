import { isDeepStrictEqual } from "node:util";
import { fromJson, toJson, type JsonValue } from "@bufbuild/protobuf";
import { beforeAll, describe } from "vitest";
import type { Issue } from "../../library/runtime/schema/schema.js";
import { Absent } from "./absent.js";
import { casesOf, eachType, tryAll } from "./cases.js";
import { changed, json, object } from "../support/random/json.js";
import { isUnknownNumber, leniencies, refusals } from "./differences.js";
import { NormalForm } from "./normal-form.js";
import { keysOf, Values } from "../support/random/values.js";
import type { Random } from "../support/random/random.js";
import { reflect } from "./reflection.js";
import { Spellings } from "./spellings.js";
import { protoJsonSubjects, type Module } from "./subjects.js";

describe.each(protoJsonSubjects)(
  "the parsers of $name",
  ({ name: subject, source, protocol, load }) => {
    const messages = protocol.types.filter((type) => type.kind === "message");
    const fullNames = new Map(messages.map(({ name, fullName }) => [name, fullName]));
    const values = new Values(protocol);
    const spellings = new Spellings(values);
    const absent = new Absent(values);
    const normal = new NormalForm(values, messages);
    const registry = reflect(`${subject}-json`, source);
    const keys = keysOf(protocol);
    let validators: Module;
    let schemas: Module;

    beforeAll(async () => {
      [validators, schemas] = await Promise.all([
        load("validators"),
        load("runtime/schema/schema"),
      ]);
    });

    const reflected = (name: string) => {
      const found = registry.getMessage(fullNames.get(name) ?? "");
      if (found === undefined) throw new Error(`protobuf-es has no ${name}`);
      return found;
    };

    const document = (name: string, random: Random) => {
      const value = spellings.of(name, values.of(name, random), random);
      const kind = random.below(8);
      if (kind < 4) return value;
      if (kind < 7) return changed(value, random, keys);
      return random.oneIn(4) ? json(random, keys) : object(random, keys);
    };

    const names = messages.map(({ name }) => name);
    eachType(names, "the parser of %s reads the same values as protobuf-es", (name) => {
      const message = reflected(name);
      const parse = validators(`parse${name}`);
      const schema = validators(`${name}Schema`);
      return tryAll({
        name: `${subject} ${name} as ProtoJSON`,
        cases: casesOf(1_000),
        generate: (random) => document(name, random),
        complaint: (given) => {
          const mine = outcomeOf(() => schemas("parse")(schema, given, "open"));
          const closed = closedComplaint(
            outcomeOf(() => parse(given)),
            mine,
          );
          if (closed !== undefined) return closed;
          const theirs = outcomeOf(() => {
            const read = fromJson(message, absent.of(name, given) as JsonValue, {
              registry,
              ignoreUnknownFields: true,
            });
            return toJson(message, read, { registry });
          });
          if (mine.value !== undefined && theirs.value !== undefined) {
            const [left, right] = [normal.of(name, mine.value), normal.of(name, theirs.value)];
            if (isDeepStrictEqual(left, right)) return undefined;
            return `it is read as ${JSON.stringify(left)}, and not ${JSON.stringify(right)}`;
          }
          if (mine.value === undefined && theirs.value === undefined) return undefined;
          if (mine.value === undefined) {
            const unexplained = mine.issues.filter(
              (issue) => !refusals.some(({ covers }) => covers(issue)),
            );
            if (mine.issues.length > 0 && unexplained.length === 0) return undefined;
            return `it is refused here only: ${mine.problem}`;
          }
          const isMeant = leniencies.some(({ covers }) =>
            covers(theirs.problem, JSON.stringify(given)),
          );
          return isMeant ? undefined : `it is refused there only: ${theirs.problem}`;
        },
      });
    });
  },
);

/**
 * Says how the usual parser differs from the open one in more than numbers of enum values that have
 * no name.
 */
function closedComplaint(closed: Outcome, open: Outcome) {
  if (closed.value !== undefined && isDeepStrictEqual(closed.value, open.value)) return undefined;
  const added = closed.issues.filter(
    ({ message }) => !open.issues.some((issue) => issue.message === message),
  );
  const isMeant = closed.value === undefined && added.every(isUnknownNumber);
  return isMeant
    ? undefined
    : `the usual parser gives ${JSON.stringify(closed)}, and the open one ${JSON.stringify(open)}`;
}

interface Outcome {
  readonly value?: unknown;
  readonly problem: string;
  readonly issues: readonly Issue[];
}

function outcomeOf(read: () => unknown): Outcome {
  try {
    return { value: read(), problem: "", issues: [] };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: error.message, issues: "issues" in error ? (error.issues as Issue[]) : [] };
  }
}
