import type { Issue } from "../../library/runtime/schema/schema.js";

/** Something that this project does not do as protobuf-es does, on purpose. */
interface Difference {
  readonly reason: string;
}

/** Values that are refused here and accepted there. */
interface Refusal extends Difference {
  readonly covers: (issue: Issue) => boolean;
}

/** Values that are accepted here and refused there. */
interface Leniency extends Difference {
  /** Tells by the problem that protobuf-es has with a document. */
  readonly covers: (problem: string, document: string) => boolean;
}

const isEnum = ({ expected }: Issue) => /^\w+ \(\w+(?:, \w+)*(?:, …)?\)$/.test(expected);
const isNumber = ({ expected }: Issue) => /\b(?:integer|number)\b/.test(expected);

/** The string in an issue, or `undefined` if the issue has another value. */
function textOf({ found }: Issue) {
  return found.startsWith('"') ? (JSON.parse(found) as string) : undefined;
}

/** Tells whether an issue is about a number that no value of an enum has. */
export function isUnknownNumber(issue: Issue): boolean {
  return isEnum(issue) && /^-?\d+$/.test(issue.found);
}

/** Values that are refused only here. */
export const refusals: readonly Refusal[] = [
  {
    reason: "Required fields must be present, and a required list must have an element.",
    covers: ({ expected, found }) =>
      found === "nothing" ||
      (found === "an object" && expected.startsWith("exactly one of ")) ||
      (found === "an empty list" && expected.startsWith("a list of at least one ")),
  },
  {
    reason:
      "A name that an enum does not have would be lost: protobuf-es drops it as it drops fields.",
    covers: (issue) => isEnum(issue) && textOf(issue) !== undefined,
  },
  {
    reason:
      "A number that stands in text is written as in JSON; protobuf-es takes what JavaScript takes.",
    covers: (issue) => isNumber(issue) && Number.isFinite(Number(textOf(issue) ?? "none")),
  },
  {
    reason:
      "A key of a map that is a number has one notation, so that none stands for another; protobuf-es takes all.",
    covers: (issue) =>
      issue.expected === "a valid key" &&
      /^[-+.\d]/.test(textOf(issue) ?? "") &&
      Number.isInteger(Number(textOf(issue))),
  },
  {
    reason:
      "A field mask holds names that fields can have; protobuf-es takes any text without underscores.",
    covers: (issue) => issue.expected === "field mask" && textOf(issue)?.includes("_") === false,
  },
  {
    reason:
      "Base64 has the letters of its alphabets and ends in its padding; protobuf-es skips spaces and equals signs.",
    covers: (issue) => issue.expected === "base64" && /[\s=]/.test(textOf(issue) ?? ""),
  },
  {
    reason: "A type URL has a slash before its name, as the conformance suite of protobuf demands.",
    covers: ({ expected, found }) =>
      expected === "type URL" || (expected === "object with @type" && found === "an object"),
  },
  {
    reason: "A duration ends in its unit; protobuf-es reads no further.",
    covers: (issue) =>
      issue.expected.startsWith("duration") && /^-?\d+(?:\.\d+)?s./s.test(textOf(issue) ?? ""),
  },
  {
    reason: "A wrapper within an Any holds a value; protobuf-es reads null as its default.",
    covers: ({ pointer, found }) => pointer.endsWith("/value") && found === "null",
  },
  {
    reason: "There is only one null, whose number is 0.",
    covers: ({ expected, found }) => expected === "null" && /^(?:-?\d|")/.test(found),
  },
];

/** Values that are refused only there. */
export const leniencies: readonly Leniency[] = [
  {
    reason:
      "A whole number of 64 bits may have an exponent or a fraction of 0, as one of 32 bits may.",
    covers: (problem) =>
      /expected bigint \(u?int64\): -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)? out of range/.test(problem),
  },
  {
    reason:
      "An Any of a type that is not known keeps its bytes as base64, so that it can be passed on.",
    covers: (problem, document) =>
      problem.includes("not in the type registry") && document.includes('"value":"'),
  },
];

/** Values that validators refuse and a derived JSON Schema cannot refuse. */
export const unsaid: readonly Refusal[] = [
  {
    reason: "Integers in strings, such as 64-bit numbers and keys of maps, have a range.",
    covers: (issue) =>
      /^(?:a valid key|.*64-bit integer as a string)$/.test(issue.expected) &&
      /^-?\d+$/.test(textOf(issue) ?? ""),
  },
  {
    reason: "The calendar and the clock have gaps.",
    covers: ({ expected, found }) =>
      expected.includes("timestamp") && /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(found),
  },
  {
    reason: "A duration is at most 10,000 years long.",
    covers: (issue) =>
      issue.expected.startsWith("duration") && /^-?\d{12}(?:\.\d+)?s$/.test(textOf(issue) ?? ""),
  },
  {
    reason: "A number of 32 bits has a limit, which schemas of numbers leave out.",
    covers: ({ expected, found }) =>
      expected === "32-bit number" && Math.abs(Number(found)) > 3.4e38,
  },
];
