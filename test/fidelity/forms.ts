import fc from "fast-check";
import type { LossDef } from "../../generator/protocol/types.js";
import { texts } from "../support/models.js";

/** A form that values have to have for gRPC and HTTP+JSON: random ones that have it, and how they arrive. */
interface Form {
  readonly text: string;
  readonly values: fc.Arbitrary<unknown>;
  readonly arrives: (value: string) => unknown;
}

const fractions = fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), maxLength: 9 });
const zones = fc.oneof({ weight: 4, arbitrary: fc.constant("Z") }, fc.constantFrom("z", "+02:00", "-23:59", "+00:00"));
const moments = fc.oneof(
  fc.integer({ min: -62_135_510_400, max: 253_402_214_400 }),
  fc.constantFrom(0, -1, 951_782_400, -62_135_510_400),
);

const timestamps = fc.tuple(moments, fractions, zones).map(([seconds, fraction, zone]) => {
  const start = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${start}${fraction === "" ? "" : `.${fraction}`}${zone}`;
});

function inUtc(timestamp: string): string {
  const [, start = "", fraction = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(timestamp) ?? [];
  const digits = fraction.replace(/0+$/, "");
  const length = Math.ceil(digits.length / 3) * 3;
  const point = digits === "" ? "" : `.${digits.padEnd(length, "0")}`;
  return `${new Date(`${start}${zone}`).toISOString().slice(0, 19)}${point}Z`;
}

const bytes = fc.uint8Array({ maxLength: 9 });
const base64 = fc
  .tuple(bytes, fc.constantFrom("base64", "base64url"))
  .map(([data, alphabet]) => Buffer.from(data).toString(alphabet as BufferEncoding));

const same = (value: unknown): unknown => value;
const withoutSlash = texts.filter((text) => !text.includes("/"));

const forms: readonly Form[] = [
  {
    text: "gRPC and HTTP+JSON carry RFC 3339 timestamps only, and bring them to UTC.",
    values: timestamps,
    arrives: inUtc,
  },
  {
    text: "gRPC and HTTP+JSON carry base64 only, and bring it to the standard alphabet with padding.",
    values: base64,
    arrives: (text) => Buffer.from(text, "base64").toString("base64"),
  },
  {
    text: "gRPC and HTTP+JSON carry integers of 32 bits only.",
    values: fc.oneof(fc.integer(), fc.constantFrom(0, 1, -(2 ** 31), 2 ** 31 - 1)),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry ids that are not empty and have no slash only.",
    values: withoutSlash.filter((text) => text !== ""),
    arrives: same,
  },
  { text: "gRPC and HTTP+JSON carry ids without a slash only.", values: withoutSlash, arrives: same },
];

/** The forms that a report names; how several fields share a oneof is no matter of one value. */
function formsOf(losses: readonly LossDef[]): Form[] {
  const named = losses.filter(({ kind, text }) => kind === "form" && !text.includes("only one of"));
  return named.map(({ text }) => {
    const form = forms.find((one) => one.text === text);
    if (form === undefined) throw new Error(`The tests do not know the form "${text}"`);
    return form;
  });
}

/** Random values of a form that a report names; `undefined` where it names none. */
export function formedValues(losses: readonly LossDef[]): fc.Arbitrary<unknown> | undefined {
  return formsOf(losses)[0]?.values;
}

/** A value as it arrives in the form that a report names. */
export function inForm(losses: readonly LossDef[], value: unknown): unknown {
  return formsOf(losses).reduce((found, { arrives }) => (typeof found === "string" ? arrives(found) : found), value);
}
