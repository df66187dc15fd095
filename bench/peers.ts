import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { packageFolder } from "../support/package-folder.js";
import { findSource } from "../test/support/output.js";
import { writeModule } from "../test/oracle/reflection.js";
import { outFolder } from "./folders.js";

const binaries = join(packageFolder, "node_modules", ".bin");

/** Options of each buf plugin, as its documentation recommends for Node and ES modules. */
export const plugins = {
  "ts-proto": {
    local: join(binaries, "protoc-gen-ts_proto"),
    out: "ts-proto",
    opt: ["env=node", "esModuleInterop=true", "importSuffix=.js", "outputServices=grpc-js"],
  },
  "protoc-gen-es": {
    local: join(binaries, "protoc-gen-es"),
    out: "protobuf-es",
    opt: ["target=ts", "import_extension=js"],
    include_imports: true,
  },
} as const;

/** Writes a buf module for the proto of A2A 1.0 into a separate folder, and returns the folder. */
export function writeA2a(name: string): string {
  const folder = join(outFolder, name);
  writeModule(folder, findSource("1.0"));
  return folder;
}

/** Runs buf with some plugins on the module in a folder. */
export function bufGenerate(folder: string, names: readonly (keyof typeof plugins)[]): void {
  const template = JSON.stringify({ version: "v2", plugins: names.map((name) => plugins[name]) });
  const file = join(folder, "buf.gen.json");
  writeFileSync(file, template);
  execFileSync(join(binaries, "buf"), ["generate", "--template", file], {
    cwd: folder,
    stdio: ["ignore", 2, "inherit"],
  });
}

/** Returns the exports of the code that the plugins write for A2A 1.0, bundled like the areas. */
export async function loadPeer(
  folder: string,
  entry: string,
): Promise<Readonly<Record<string, unknown>>> {
  const outfile = join(folder, `${entry.replaceAll("/", "-")}.mjs`);
  buildSync({
    entryPoints: [join(folder, `${entry}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    logLevel: "error",
  });
  return (await import(pathToFileURL(outfile).href)) as Readonly<Record<string, unknown>>;
}
