import type { ScalarName, WellKnownName } from "../../../generator/protocol/model/types.js";
import { json, number, object, text } from "./json.js";
import type { Random } from "./random.js";

/** The default of a scalar in JSON. */
export function zeroOf(name: ScalarName): unknown {
  if (name === "string" || name === "bytes") return "";
  if (name === "bool") return false;
  return name.endsWith("64") ? "0" : 0;
}

const edges32 = [0, 1, -1, -(2 ** 31), 2 ** 31 - 1, 127, 128, 300];
const edges64 = ["0", "1", "-1", "-9223372036854775808", "9223372036854775807", "9007199254740993"];
const unnamed = ["NaN", "Infinity", "-Infinity", 0, 1.5];

/** A random scalar in its canonical JSON. */
export function scalar(name: ScalarName, random: Random): unknown {
  switch (name) {
    case "string":
      return text(random);
    case "bytes":
      return Buffer.from(random.list(6, () => random.below(256))).toString("base64");
    case "bool":
      return random.oneIn(2);
    case "double":
      return random.oneIn(4) ? random.pick(unnamed) : number(random);
    case "float":
      return random.oneIn(4) ? random.pick(unnamed) : shortFloat(Math.fround(number(random)));
    case "int32":
    case "sint32":
    case "sfixed32":
      return random.oneIn(3) ? random.pick(edges32) : random.next() | 0;
    case "uint32":
    case "fixed32":
      return random.oneIn(3) ? random.pick(edges32) >>> 0 : random.next();
    case "int64":
    case "sint64":
    case "sfixed64":
      return random.oneIn(3) ? random.pick(edges64) : String(BigInt.asIntN(64, wide(random)));
    case "uint64":
    case "fixed64":
      return random.oneIn(3)
        ? String(BigInt.asUintN(64, BigInt(random.pick(edges64))))
        : String(wide(random));
  }
}

function wide(random: Random) {
  return (BigInt(random.next()) << 32n) | BigInt(random.next());
}

/** The shortest decimal of a 32-bit number. */
function shortFloat(value: number) {
  if (!Number.isFinite(value)) return 0;
  if (Number.isInteger(value)) return value;
  const digits = Array.from({ length: 9 }, (_, index) => Number(value.toPrecision(index + 1)));
  return digits.find((candidate) => Math.fround(candidate) === value) ?? value;
}

const fractions = ["", "", ".500", ".001", ".000001", ".123456789", ".999999999"];

/** Returns a random value of a well-known type in its canonical JSON; of `Any`, an empty one. */
export function wellKnown(name: WellKnownName, random: Random): unknown {
  switch (name) {
    case "Timestamp": {
      const seconds = random.oneIn(4)
        ? random.pick([0, -1, -62_135_596_800, 253_402_300_799, 951_782_400])
        : random.below(2 ** 32) - 2 ** 30;
      return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${random.pick(fractions)}Z`;
    }
    case "Duration": {
      const whole = random.oneIn(4) ? random.pick([0, 1, 315_576_000_000]) : random.next();
      const rest = random.pick(fractions);
      const isZero = whole === 0 && rest === "";
      return `${random.oneIn(2) && !isZero ? "-" : ""}${whole}${rest}s`;
    }
    case "FieldMask":
      return random.pick(["", "a", "fooBar", "a,b.cD", "a1,b2C"]);
    case "Struct":
      return object(random, [], 2);
    case "Value":
      return json(random, [], 2);
    case "ListValue":
      return random.list(3, () => json(random, [], 1));
    case "NullValue":
      return null;
    case "Empty":
    case "Any":
      return {};
  }
}
