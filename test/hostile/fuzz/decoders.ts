import { isDeepStrictEqual } from "node:util";
import type { Issue, Validation } from "../../../library/runtime/schema/schema.js";
import type { Random } from "../../support/random/random.js";
import { Values } from "../../support/random/values.js";
import type { Subject } from "../../oracle/subjects.js";
import { damaged, hex, randomBytes, reshaped, smallerBytes } from "./bytes.js";
import type { Attack, Campaign } from "../../support/campaign.js";
import { messagesOf, subjects } from "./subjects.js";

interface Case {
  readonly subject: string;
  readonly message: string;
  readonly bytes: Uint8Array;
}

/** The functions of one message. */
interface Target {
  readonly subject: string;
  readonly message: string;
  /** The names of all enums. */
  readonly enums: readonly string[];
  /** Whether the proto contains all constraints of a valid value. */
  readonly isProtoJson: boolean;
  readonly encode: (value: unknown) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  readonly validate: (value: unknown) => Validation<unknown>;
  readonly value: (random: Random) => unknown;
}

/** Random and damaged bytes, which every decoder reads or refuses. */
export const decoders: Campaign<Case> = {
  name: "bytes in the decoders",
  async open() {
    const targets = (await Promise.all(subjects.map(targetsOf))).flat();
    const known = new Map(targets.map((target) => [`${target.subject} ${target.message}`, target]));
    return {
      limitMs: 250,
      generate(random) {
        const { subject, message, ...target } = random.pick(targets);
        return { subject, message, bytes: bytesFor(target, random) };
      },
      attempt(given) {
        const target = known.get(`${given.subject} ${given.message}`);
        if (target === undefined) throw new Error("Unknown message");
        return outcomeOf(target, given.bytes);
      },
      *smaller({ bytes, ...rest }) {
        for (const smaller of smallerBytes(bytes)) yield { ...rest, bytes: smaller };
      },
      print: ({ subject, message, bytes }) => `${hex(bytes)} as ${message} of ${subject}`,
    } satisfies Attack<Case>;
  },
};

async function targetsOf(subject: Subject): Promise<Target[]> {
  const values = new Values(subject.protocol);
  const [codec, validators] = await Promise.all([
    subject.load("protobuf"),
    subject.load("validators"),
  ]);
  const enums = subject.protocol.types
    .filter(({ kind }) => kind === "enum")
    .map(({ name }) => name);
  return messagesOf(subject.protocol).map(({ name, model }) => ({
    subject: subject.name,
    message: name,
    enums,
    isProtoJson: subject.protocol.wire?.isProtoJson === true,
    encode: codec(`encode${name}`) as Target["encode"],
    decode: codec(`decode${name}`),
    validate: validators(`validate${model}`) as Target["validate"],
    value: (random) => values.of(model, random),
  }));
}

function bytesFor({ encode, value }: Pick<Target, "encode" | "value">, random: Random) {
  if (random.oneIn(8)) return randomBytes(random);
  try {
    const bytes = encode(value(random));
    return random.oneIn(3) ? damaged(bytes, random) : reshaped(bytes, random);
  } catch {
    return randomBytes(random);
  }
}

function outcomeOf(
  { decode, encode, validate, enums, isProtoJson }: Target,
  bytes: Uint8Array,
): string {
  const before = Uint8Array.from(bytes);
  let value: unknown;
  try {
    value = decode(bytes);
  } catch (error) {
    if (error instanceof Error && error.name === "DecodeError") return "refused";
    throw error;
  }
  if (Buffer.compare(bytes, before) !== 0) throw new Error("the bytes were changed");
  const { issues = [] } = validate(value);
  const wrong = issues.find((issue) => !isIncomplete(issue) && !isNewer(issue, enums));
  if (wrong !== undefined && isProtoJson && !isMeant(wrong))
    throw new Error(`what was read is not valid: ${wrong.message}`);
  if (wrong !== undefined || issues.some(isIncomplete)) return "read, and not valid";
  // A value that equals the meaning of its absence is read if present, and not written.
  const written = isProtoJson ? encode(value) : named(() => encode(value));
  if (written === undefined) return "read, and not writable";
  const again = decode(written);
  if (Buffer.compare(encode(again), written) !== 0 || !isDeepStrictEqual(decode(written), again))
    throw new Error(`${JSON.stringify(value)} became ${JSON.stringify(again)}`);
  return "read and written";
}

/** Result of an encoder, or `undefined` if ids do not fit their resource name. */
function named(encode: () => Uint8Array) {
  try {
    return encode();
  } catch (error) {
    const isUnfit =
      error instanceof Error && / expected an id (?:without|that)/.test(error.message);
    if (isUnfit) return undefined;
    throw error;
  }
}

/** Returns whether a required value is missing, which decoders do not check. */
function isIncomplete({ found, expected }: Issue) {
  return (
    found === "nothing" ||
    found === "an empty list" ||
    /^(?:exactly )?one (?:of|member)/.test(expected)
  );
}

/**
 * Tells whether there is a value of an enum that this version does not know, and that stays a
 * number.
 */
function isNewer({ found, expected }: Issue, enums: readonly string[]) {
  return /^-?[1-9]\d*$/.test(found) && enums.some((name) => expected.startsWith(`${name} (`));
}

/**
 * Tells whether decoders are known to give this: values that stand for none, and lists that count
 * as levels in JSON only.
 */
function isMeant({ found, expected }: Issue) {
  return found === "0" || expected.endsWith("levels of nesting");
}
