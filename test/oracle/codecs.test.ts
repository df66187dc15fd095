import { isDeepStrictEqual } from "node:util";
import { fromBinary, fromJson, toBinary, toJson, type JsonValue } from "@bufbuild/protobuf";
import { beforeAll, describe } from "vitest";
import { respell } from "./bytes.js";
import { casesOf, eachType, tryAll } from "./cases.js";
import { NormalForm } from "./normal-form.js";
import { Values } from "../support/random/values.js";
import { Random } from "../support/random/random.js";
import { reflect } from "./reflection.js";
import { shrink } from "../support/random/shrink.js";
import { protoJsonSubjects, type Module } from "./subjects.js";

describe.each(protoJsonSubjects)(
  "the codecs of $name",
  ({ name: subject, source, protocol, load }) => {
    const messages = protocol.types.filter((type) => type.kind === "message");
    const fullNames = new Map(messages.map(({ name, fullName }) => [name, fullName]));
    const values = new Values(protocol);
    const normal = new NormalForm(values, messages);
    const registry = reflect(subject, source);
    let codec: Module;
    let validators: Module;

    const reflected = (name: string) => {
      const found = registry.getMessage(fullNames.get(name) ?? "");
      if (found === undefined) throw new Error(`protobuf-es has no ${name}`);
      return found;
    };

    beforeAll(async () => {
      [codec, validators] = await Promise.all([load("protobuf"), load("validators")]);
    });

    const names = messages.map(({ name }) => name);
    eachType(names, "the codec of %s writes and reads the same bytes as protobuf-es", (name) => {
      const message = reflected(name);
      const encode = codec(`encode${name}`) as (value: unknown) => Uint8Array;
      const decode = codec(`decode${name}`);
      const is = validators(`is${name}`);
      return tryAll({
        name: `${subject} ${name} as bytes`,
        cases: casesOf(1_000),
        generate: (random) => ({
          value: values.of(name, random),
          // Other bytes take longer than all the rest.
          spelling: random.oneIn(3) ? random.next() : undefined,
        }),
        smaller: function* ({ value, spelling }) {
          for (const smaller of shrink(value)) if (is(smaller)) yield { value: smaller, spelling };
        },
        complaint: ({ value, spelling }) => {
          if (!is(value)) return "the value is not valid";
          const bytes = encode(value);
          const theirs = toBinary(message, fromJson(message, value as JsonValue, { registry }));
          if (!equal(bytes, theirs)) return `the bytes are ${hex(bytes)}, and not ${hex(theirs)}`;
          const decoded = decode(bytes);
          if (!isDeepStrictEqual(decoded, value))
            return `the bytes are read as ${JSON.stringify(decoded)}`;
          if (spelling === undefined) return undefined;
          const other = respell(bytes, message, new Random(spelling));
          const [read, peer] = [decode(other), fromBinary(message, other)];
          const [mine, expected] = [
            normal.of(name, read),
            normal.of(name, toJson(message, peer, { registry })),
          ];
          if (!isDeepStrictEqual(mine, expected))
            return `${hex(other)} is read as ${JSON.stringify(mine)}, and not ${JSON.stringify(expected)}`;
          const [again, peerAgain] = [encode(read), toBinary(message, peer)];
          if (equal(again, peerAgain)) return undefined;
          return `${hex(other)} is written again as ${hex(again)}, and not ${hex(peerAgain)}`;
        },
      });
    });
  },
);

function equal(left: Uint8Array, right: Uint8Array) {
  return Buffer.compare(left, right) === 0;
}

function hex(bytes: Uint8Array) {
  return Buffer.from(bytes).toString("hex");
}
