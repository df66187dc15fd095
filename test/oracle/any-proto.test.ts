import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  fromJson,
  toBinary,
  type DescMessage,
  type FileRegistry,
  type JsonValue,
} from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { typeProblems } from "../product/types/compile.js";
import { generateFrom, outFolder, sourceOf } from "../support/output.js";
import { seed } from "../support/seed.js";
import { sized } from "../support/size.js";
import type { Generated } from "../../generator/core/contract.js";
import { libraryName } from "../../generator/core/package-names.js";
import type { SpecSource } from "../../generator/input/source.js";
import { Values } from "../support/random/values.js";
import { protoImports, randomProto } from "../support/random/protos.js";
import { Random, seedOf } from "../support/random/random.js";
import { reflect } from "./reflection.js";
import { fromSource, type Subject } from "./subjects.js";

const hasProtoc = spawnSync("protoc", ["--version"]).status === 0;

/**
 * Returns the messages of a proto as other compilers see them, or `undefined` if one of them
 * refuses it.
 */
function judged(name: string, source: SpecSource) {
  const folder = join(outFolder, "reflection", name);
  try {
    const registry = reflect(name, source, "ignore");
    // The files of `google.protobuf` come from the image of buf: some packages have protoc without
    // them.
    const known = ["-I", folder, "--descriptor_set_in", join(folder, "image.binpb")];
    const args = [...known, "--descriptor_set_out", join(folder, "protoc.binpb"), "main.proto"];
    return !hasProtoc || spawnSync("protoc", args, { cwd: folder }).status === 0
      ? registry
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what is wrong with the bytes of a random value of each message. */
async function complaintsOf({ protocol, load }: Subject, registry: FileRegistry, random: Random) {
  const [codec, values] = [await load("protobuf"), new Values(protocol)];
  return protocol.types.flatMap(({ kind, name, fullName }) => {
    const message = registry.getMessage(fullName);
    if (kind !== "message" || message === undefined)
      return kind === "message" ? [`${fullName} is missing`] : [];
    const value = values.of(name, random);
    const bytes = codec(`encode${name}`)(value) as Uint8Array;
    const theirs = peerBytes(message, value, registry);
    if (theirs !== undefined && Buffer.compare(bytes, theirs) !== 0)
      return [
        `${fullName}: ${JSON.stringify(value)} becomes ${hex(bytes)}, and not ${hex(theirs)}`,
      ];
    const decoded = codec(`decode${name}`)(bytes);
    return isDeepStrictEqual(decoded, value)
      ? []
      : [`${fullName}: ${JSON.stringify(value)} is read as ${JSON.stringify(decoded)}`];
  });
}

/**
 * Returns what protobuf-es writes, or `undefined` for fields whose names its objects cannot have.
 */
function peerBytes(
  message: DescMessage,
  value: unknown,
  registry: FileRegistry,
): Uint8Array | undefined {
  try {
    return toBinary(message, fromJson(message, value as JsonValue, { registry }));
  } catch (error) {
    // It finds members of `Object.prototype` when it looks up fields with their names.
    if (
      error instanceof TypeError ||
      (error instanceof Error && error.name === "ForeignFieldError")
    )
      return undefined;
    throw error;
  }
}

function hex(bytes: Uint8Array) {
  return Buffer.from(bytes).toString("hex");
}

const judges = hasProtoc ? "buf and protoc accept" : "buf accepts (protoc is not installed)";

describe(`a random proto3 file that ${judges}`, () => {
  const count = sized(2, 12);
  /**
   * Outputs of the accepted files, which are compiled together: their modules of the library are
   * read only once.
   */
  const outputs: Generated[] = [];
  const sources: string[] = [];

  it.each(Array.from({ length: count }, (_, index) => index))(
    "the output of the file encodes values like protobuf-es (number %i)",
    async (index) => {
      const random = new Random(seedOf(seed, "any proto", index));
      const source = sourceOf(randomProto(random), protoImports);
      const registry = judged(`any-${index}`, source);
      if (registry === undefined) return;
      const told = `seed ${seed}:\n${source.proto?.text ?? ""}`;
      outputs.push(await generateFrom(source, { runtimeImport: libraryName }));
      sources.push(told);
      expect(
        await complaintsOf(fromSource(`any-${index}`, source), registry, random),
        told,
      ).toEqual([]);
    },
  );

  it("the outputs of all such files compile", async () => {
    const problems = await typeProblems(...outputs);
    // The path of a problem contains the number of the output.
    const numbers = new Set(
      problems.map((problem) => Number(/compiled-[^/]+\/(\d+)\//.exec(problem)?.[1])),
    );
    expect(problems, [...numbers].map((at) => sources[at]).join("\n")).toEqual([]);
  });

  it("the random files include enough such files", () => {
    expect(outputs.length).toBeGreaterThanOrEqual(Math.floor(count / 6));
  });
});
