import fc from "../../support/properties.js";
import type { LossDef } from "../../../generator/protocol/model/types.js";
import { texts } from "../../support/models.js";

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
    text: "Over gRPC and HTTP+JSON, it must not be empty or have a slash.",
    values: withoutSlash.filter((text) => text !== ""),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry integers of 32 bits without a sign only.",
    values: fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.constantFrom(0, 2 ** 32 - 1)),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry integers of 64 bits only.",
    values: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry integers of 64 bits without a sign only.",
    values: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry numbers of 32 bits only, and round others.",
    values: fc.integer({ min: -(2 ** 12), max: 2 ** 12 }).map((eighths) => eighths / 8),
    arrives: same,
  },
  {
    text: "gRPC and HTTP+JSON carry durations in seconds only, such as `1.5s`.",
    values: fc
      .tuple(fc.integer({ min: 1, max: 2 ** 31 }), fc.constantFrom("", ".500", ".000001"))
      .map(([whole, rest]) => `${whole}${rest}s`),
    arrives: same,
  },
  { text: "Over gRPC and HTTP+JSON, it must not have a slash.", values: withoutSlash, arrives: same },
];

/** What an id has to be that is a part of a path. */
export const needed = "HTTP+JSON cannot leave it out, because it is a part of the path.";

/** What happens to a field that is absent. */
export const added = "Over gRPC and HTTP+JSON, it arrives as `true` where it is absent.";

/** The forms that a report names; that a field excludes others, or has to be there, is no matter of its value. */
function formsOf(losses: readonly LossDef[]): Form[] {
  const named = losses.filter(
    ({ kind, text }) => kind === "form" && !text.includes("only one of") && text !== needed && text !== added,
  );
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

/** A value as it arrives in the form that a report names; of a list or map, each that it holds. */
export function inForm(losses: readonly LossDef[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inForm(losses, item));
  const forms = formsOf(losses);
  if (typeof value === "object" && value !== null && forms.length > 0)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inForm(losses, item)] as const));
  return forms.reduce((found, { arrives }) => (typeof found === "string" ? arrives(found) : found), value);
}
