import type { LossDef } from "../../../generator/protocol/model/types.js";
import { text } from "../../support/random/json.js";
import type { Random } from "../../support/random/random.js";
import { scalar } from "../../support/random/scalars.js";

/**
 * Required form of values for gRPC and HTTP+JSON: random values in this form, and the values that
 * arrive.
 */
interface Form {
  readonly text: string;
  readonly make: (random: Random) => unknown;
  readonly arrives?: (value: string) => unknown;
}

function timestamp(random: Random) {
  const edges = [0, -1, 951_782_400, -62_135_510_400, 253_402_214_400];
  const seconds = random.oneIn(3) ? random.pick(edges) : random.next() * 60 - 62_135_510_400;
  const fraction = random.list(9, () => random.pick("0159".split(""))).join("");
  const zone = random.oneIn(2) ? "Z" : random.pick(["z", "+02:00", "-23:59", "+00:00"]);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction === "" ? "" : `.${fraction}`}${zone}`;
}

function inUtc(given: string) {
  const [, start = "", fraction = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(given) ?? [];
  const digits = fraction.replace(/0+$/, "");
  const length = Math.ceil(digits.length / 3) * 3;
  const point = digits === "" ? "" : `.${digits.padEnd(length, "0")}`;
  return `${new Date(`${start}${zone}`).toISOString().slice(0, 19)}${point}Z`;
}

function base64(random: Random) {
  const bytes = Buffer.from(random.list(9, () => random.below(256)));
  return bytes.toString(random.oneIn(2) ? "base64" : "base64url");
}

const segment = (random: Random) => text(random).replaceAll("/", "");
const scalarForm = (kind: string, name: Parameters<typeof scalar>[0]): Form => ({
  text: `gRPC and HTTP+JSON only carry ${kind}.`,
  make: (random) => scalar(name, random),
});

const forms: readonly Form[] = [
  {
    text: "gRPC and HTTP+JSON only carry RFC 3339 timestamps, and convert them to UTC.",
    make: timestamp,
    arrives: inUtc,
  },
  {
    text: "gRPC and HTTP+JSON only carry base64, and convert it to the standard alphabet with padding.",
    make: base64,
    arrives: (given) => Buffer.from(given, "base64").toString("base64"),
  },
  scalarForm("32-bit integers", "int32"),
  scalarForm("32-bit integers without a sign", "uint32"),
  scalarForm("64-bit integers", "int64"),
  scalarForm("64-bit integers without a sign", "uint64"),
  {
    text: "gRPC and HTTP+JSON only carry 32-bit numbers, and round others.",
    make: (random) => (random.below(2 ** 13) - 2 ** 12) / 8,
  },
  {
    text: "gRPC and HTTP+JSON only carry durations in seconds, such as `1.5s`.",
    make: (random) => `${1 + random.below(2 ** 31)}${random.pick(["", ".500", ".000001"])}s`,
  },
  {
    text: "Over gRPC and HTTP+JSON, it must not be empty or contain a slash.",
    make: (random) => segment(random) || "x",
  },
  { text: "Over gRPC and HTTP+JSON, it must not contain a slash.", make: segment },
];

/** Required form of an id that is part of a path. */
export const needed = "HTTP+JSON requires it, because it is a part of the path.";

/** Value that arrives for an absent field. */
export const added = "Over gRPC and HTTP+JSON, it arrives as `true` if it is absent.";

/**
 * The forms in a report. Whether a field excludes other fields, or is required, does not affect its
 * value.
 */
function formsOf(losses: readonly LossDef[]) {
  const named = losses.filter(
    ({ kind, text }) =>
      kind === "form" && !text.includes("only carry one of") && text !== needed && text !== added,
  );
  return named.map(({ text }) => {
    const form = forms.find((one) => one.text === text);
    if (form === undefined) throw new Error(`The tests do not know the form "${text}"`);
    return form;
  });
}

/**
 * Returns a generator of random values for a form in a report, or `undefined` without such a form.
 */
export function makerOf(losses: readonly LossDef[]): Form["make"] | undefined {
  return formsOf(losses)[0]?.make;
}

/** A value as it arrives in the form that a report names; of a list or map, each that it holds. */
export function inForm(losses: readonly LossDef[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inForm(losses, item));
  const forms = formsOf(losses);
  if (typeof value === "object" && value !== null && forms.length > 0)
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, inForm(losses, item)] as const),
    );
  return forms.reduce(
    (found, { arrives }) => (typeof found === "string" && arrives ? arrives(found) : found),
    value,
  );
}
