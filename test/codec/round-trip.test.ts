import { join } from "node:path";
import fc from "fast-check";
import protobuf from "protobufjs";
import { beforeAll, describe, expect, it } from "vitest";
import { readProtocol } from "../../generator/read-protocol.js";
import { loadAssets, packageFolder } from "../../generator/assets.js";
import type { Protocol } from "../../generator/protocol/types.js";
import { arbitraries } from "../support/arbitrary.js";
import { findSource, generateFrom, writeTo } from "../support/output.js";

type Functions = Readonly<Record<string, (value: unknown) => unknown>>;

const specs = [
  { name: "everything", spec: join("test", "fixtures", "everything", "everything.proto") },
  { name: "1.0", spec: "1.0" },
];

describe.each(specs)("the output for $name", ({ name, spec }) => {
  const source = findSource(spec);
  const protocol: Protocol = readProtocol(source, loadAssets().manifestSchema);
  const messages = protocol.types.filter((type) => type.kind === "message");
  const arbitraryOf = arbitraries(protocol);
  let codec: Functions;
  let validators: Functions;

  beforeAll(async () => {
    const folder = writeTo(`round-trip-${name}`, await generateFrom(source));
    codec = (await import(join(folder, "protobuf.ts"))) as Functions;
    validators = (await import(join(folder, "validators.ts"))) as Functions;
  });

  it.each(protocol.types.map((type) => type.name))("accepts and parses every %s as it is", (type) => {
    fc.assert(
      fc.property(arbitraryOf(type), (value) => {
        expect(validators[`validate${type}`]?.(value)).toEqual({ value });
        expect(validators[`is${type}`]?.(value)).toBe(true);
        expect(validators[`parse${type}`]?.(value)).toEqual(value);
      }),
      { numRuns: 40 },
    );
  });

  it.each(messages.map((type) => type.name))("carries every %s through bytes", (type) => {
    fc.assert(
      fc.property(arbitraryOf(type), (value) => {
        const bytes = codec[`encode${type}`]?.(value);
        const decoded = codec[`decode${type}`]?.(bytes);
        expect(decoded).toEqual(value);
        expect(codec[`encode${type}`]?.(decoded)).toEqual(bytes);
      }),
      { numRuns: 40 },
    );
  });

  it.each(messages.map((type) => [type.name, type.fullName]))(
    "writes bytes of %s that protobufjs reads and writes the same",
    (type, fullName) => {
      const root = new protobuf.Root();
      root.resolvePath = (_, target) =>
        join(packageFolder, spec.endsWith(".proto") ? join(spec, "..") : "spec/1.0", target);
      const options = { keepCase: true };
      const main = spec.endsWith(".proto") ? "everything.proto" : "a2a.proto";
      const imported = (source.proto?.text ?? "").replace(/^import "google\/api.*$/gm, "");
      protobuf.parse(imported, root, options);
      if (main === "everything.proto")
        protobuf.parse(source.readImport("shared/common.proto")?.text ?? "", root, options);
      for (const common of ["any", "duration", "empty", "struct", "timestamp", "wrappers", "field_mask"]) {
        root.addJSON(protobuf.common.get(`google/protobuf/${common}.proto`)?.nested ?? {});
      }
      const reflected = root.lookupType(fullName);
      fc.assert(
        fc.property(arbitraryOf(type), (value) => {
          const bytes = codec[`encode${type}`]?.(value) as Uint8Array;
          const again = reflected.encode(reflected.decode(bytes)).finish();
          expect(codec[`decode${type}`]?.(again)).toEqual(value);
        }),
        { numRuns: 30 },
      );
    },
  );
});
