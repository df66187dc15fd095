import fc, { arbitrary } from "../../support/properties.js";
import { beforeAll, describe, expect, it } from "vitest";
import { Shapes } from "../../../generator/protocol/correlate/shape.js";
import type { LossDef } from "../../../generator/protocol/model/types.js";
import { valueAt } from "../../support/random/values.js";
import { added, needed } from "./forms.js";
import { choicesOf, type Binding } from "./report.js";
import { emit, readVersion, reflect, subjects, type Emitted } from "./versions.js";
import { errorOf } from "../../support/errors.js";

/** Values of a type that gRPC and HTTP+JSON do not carry, by what the report says. */
const refused: readonly (readonly [text: RegExp, values: readonly unknown[]])[] = [
  [/only carry RFC 3339 timestamps/, ["", "yesterday", "2025-02-30T00:00:00Z"]],
  [/only carry base64/, ["!", "a"]],
  [/32-bit integers\.$/, [2 ** 31, -(2 ** 31) - 1]],
  [/32-bit integers without a sign/, [-1, 2 ** 32]],
  [/64-bit integers\.$/, ["", "x", "1.5", String(2n ** 63n)]],
  [/64-bit integers without a sign/, ["-1", String(2n ** 64n)]],
  [/32-bit numbers/, [1e300]],
  [/durations in seconds/, ["", "1", "1m"]],
  [/must not be empty/, ["", "/", "a/b"]],
  [/must not contain a slash/, ["/", "a/b"]],
];

const zeros: Readonly<Record<string, unknown>> = {
  "`0`": "0",
  "`good`": "good",
  "an empty string": "",
  "an empty list": [],
  "an empty object": {},
  "`false`": false,
  "0": 0,
};

describe.each(subjects)("the fidelity report of $name", ({ source, choices }) => {
  const { protocol, messages, values, proto } = readVersion(source);
  const { losses, types } = protocol;
  const shapes = new Shapes(types);
  let emitted: Emitted;

  beforeAll(async () => {
    emitted = await emit(source);
  });

  /** The messages that carry a type, on their own or as one of several. */
  const carriersOf = (type: string) =>
    messages
      .filter(({ model }) =>
        shapes.alternatives(model).some((one) => shapes.message(one)?.name === type),
      )
      .map(({ name }) => name);

  /** A value of a type that has the field of a loss. */
  const sample = ({ type, field }: LossDef) => {
    const found = fc
      .sample(
        arbitrary((random) => values.of(shapes.reference(type), random)),
        300,
      )
      .find((value) => valueAt(value, field.split(".")) !== undefined);
    if (found === undefined) throw new Error(`No random ${type} has ${field}`);
    return found as object;
  };

  const over: Readonly<
    Record<Binding, (message: string, type: string, value: unknown) => unknown>
  > = {
    grpc: (message, _, value) => emitted.decode(message, emitted.encode(message, value)),
    rest: (message, _, value) =>
      emitted.fromProtoJson(message, emitted.toProtoJson(message, value)),
    jsonrpc: (_, type, value) => emitted.parse(type, JSON.parse(JSON.stringify(value))),
  };
  const bindings = ["grpc", "rest", "jsonrpc"] as const;

  const named = (kind: LossDef["kind"]): (LossDef & { where: string })[] =>
    losses
      .filter((loss) => loss.kind === kind)
      .map((loss) => ({ ...loss, where: `${loss.type}.${loss.field}` }));
  const isOfSchema = (loss: LossDef) => !loss.bindings.includes("jsonrpc");

  it("the report has no duplicates and no unknown fields", () => {
    const keys = losses.map((loss) => [loss.type, loss.field, loss.kind, loss.text].join(" "));
    expect(new Set(keys).size).toBe(keys.length);
    for (const { type, field } of losses.filter(isOfSchema))
      expect(shapes.at(shapes.reference(type), field.split(".")), `${type}.${field}`).toBeDefined();
  });

  it.each(named("field").filter(isOfSchema))(
    "the report is correct that a transport loses $where",
    (loss) => {
      const value = sample(loss);
      const path = loss.field.split(".");
      const carriers = carriersOf(loss.type);
      expect(carriers).not.toEqual([]);
      for (const message of carriers) {
        for (const binding of bindings) {
          const arrived = valueAt(over[binding](message, loss.type, value), path);
          if (loss.bindings.includes(binding)) expect(arrived, binding).toBeUndefined();
          else expect(arrived, binding).toEqual(valueAt(value, path));
        }
      }
    },
  );

  it.each(named("field").filter((loss) => !isOfSchema(loss)))(
    "the report is correct that only the proto has $where",
    (loss) => {
      const message = messages.find(({ name }) => name === loss.type);
      if (message === undefined) throw new Error(`Unknown message ${loss.type}`);
      const type = reflect(proto).lookupType(message.fullName);
      const field = type.fields[loss.field];
      const bytes = type
        .encode(type.fromObject({ [loss.field]: field?.type === "string" ? "text" : 1 }))
        .finish();
      expect(bytes.length).toBeGreaterThan(0);
      // It is kept as bytes at most, which clones do not have.
      const decoded = structuredClone(emitted.decode(message.name, bytes));
      expect(decoded).toEqual(emitted.decode(message.name, new Uint8Array()));
      fc.assert(
        fc.property(
          arbitrary((random) => values.of(message.model, random)),
          (value) => {
            const written = type.decode(emitted.encode(message.name, value));
            expect(Object.keys(written)).not.toContain(loss.field);
            expect(emitted.toProtoJson(message.name, value)).not.toHaveProperty(loss.field);
          },
        ),
        { numRuns: 20 },
      );
    },
  );

  it.each(named("default"))("the report is correct about the default of $where: $text", (loss) => {
    const value = structuredClone(sample(loss));
    const path = loss.field.split(".");
    const zero = zeros[/, (.+) arrives/.exec(loss.text)?.[1] ?? "?"];
    expect(zero).toBeDefined();
    Reflect.set(valueAt(value, path.slice(0, -1)) as object, path.at(-1) ?? "", zero);
    for (const message of carriersOf(loss.type)) {
      for (const binding of bindings) {
        const arrived = valueAt(over[binding](message, loss.type, value), path);
        expect(arrived, binding).toEqual(loss.bindings.includes(binding) ? undefined : zero);
      }
    }
  });

  const isChoice = ({ text }: LossDef) => text.includes("only carry one of");
  const isOfValues = (loss: LossDef) =>
    !isChoice(loss) && loss.text !== needed && loss.text !== added;

  it.each(named("form").filter(isOfValues))(
    "the report is correct about the form of $where: $text",
    (loss) => {
      const value = structuredClone(sample(loss));
      const path = loss.field.split(".");
      const bad = refused.filter(([text]) => text.test(loss.text)).flatMap(([, all]) => all);
      expect(bad).not.toEqual([]);
      for (const given of bad) {
        const before = valueAt(value, path);
        const isMap = typeof before === "object" && !Array.isArray(before);
        const set = Array.isArray(before) ? [given] : isMap ? { key: given } : given;
        Reflect.set(valueAt(value, path.slice(0, -1)) as object, path.at(-1) ?? "", set);
        expect(emitted.is(loss.type, value)).toBe(true);
        expect(over.jsonrpc("", loss.type, value)).toEqual(value);
        const takes = carriersOf(loss.type).filter((message) => {
          try {
            return (
              over.grpc(message, loss.type, value) !== undefined &&
              over.rest(message, loss.type, value) !== undefined
            );
          } catch (error) {
            expect(["EncodeError", "ValidationError"]).toContain(errorOf(error).name);
            return false;
          }
        });
        expect(takes, JSON.stringify(given)).toEqual([]);
      }
    },
  );

  it.each(named("form").filter(({ text }) => text === added))(
    "the report is correct that $where is set even if it was absent",
    (loss) => {
      const value = structuredClone(sample(loss));
      const path = loss.field.split(".");
      const set = (given: unknown): unknown => ({ ...value, [loss.field]: given });
      const absent = JSON.parse(JSON.stringify(set(undefined))) as unknown;
      for (const message of carriersOf(loss.type)) {
        for (const carry of [over.grpc, over.rest]) {
          expect(valueAt(carry(message, loss.type, absent), path)).toBe(true);
          expect(valueAt(carry(message, loss.type, set(true)), path)).toBe(true);
          expect(valueAt(carry(message, loss.type, set(false)), path)).toBe(false);
        }
      }
      expect(over.jsonrpc("", loss.type, absent)).toEqual(absent);
    },
  );

  it("the report is correct that a oneof represents only one of its members", () => {
    const owners = new Set(
      named("form")
        .filter(isChoice)
        .map(({ type }) => type),
    );
    expect([...owners].toSorted()).toEqual(choices);
    for (const type of owners) {
      for (const [first = "", second = ""] of choicesOf(losses, type)) {
        const value = structuredClone(sample({ ...losses[0], type, field: first } as LossDef));
        const other = sample({ ...losses[0], type, field: second } as LossDef);
        const path = second.split(".");
        const holder = valueAt(value, path.slice(0, -1)) as object;
        Reflect.set(holder, path.at(-1) ?? "", valueAt(other, path));
        expect(emitted.is(type, value)).toBe(true);
        for (const message of carriersOf(type)) {
          expect(() => emitted.encode(message, value)).toThrow(
            expect.objectContaining({ name: "EncodeError" }),
          );
          expect(() => emitted.toProtoJson(message, value)).toThrow(
            expect.objectContaining({ name: "ValidationError" }),
          );
        }
      }
    }
  });
});
