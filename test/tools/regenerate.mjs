// Regenerates each output in generated/, and the errors and the models of the library, even if the generator considers
// them up to date. Uses the sources of the generator only: the command line contains modules of the outputs, which may be out of date.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { filesOfLibrary, outputs } from "./outputs.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
// Inside of the package, because the generator looks for the folder of its package.
const scratch = join(root, "build", ".out", "generate");
const generated = join(root, "generated");

async function loadGenerator() {
  const outfile = join(scratch, "generator.mjs");
  await build({
    absWorkingDir: root,
    entryPoints: ["generator/api/index.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  return await import(pathToFileURL(outfile).href);
}

/** Writes an output beside the current outputs, so that a failure does not change them. */
async function writeOutput(generator, { folder, ...options }) {
  const out = join(scratch, "outputs", folder);
  const { title, changes } = await generator.generateInto({
    cwd: root,
    config: false,
    out,
    runtime: "package",
    ...options,
  });
  console.log(`${title} → generated/${folder}: ${changes.written.length} files`);
}

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
try {
  const generator = await loadGenerator();
  for (const output of outputs) await writeOutput(generator, output);
  const shared = await filesOfLibrary(async (version, options) => {
    const { files } = await generator.generate(generator.specRegistry(root).find(version), options);
    return files;
  });
  for (const folder of readdirSync(generated)) rmSync(join(generated, folder), { recursive: true });
  for (const { folder } of outputs)
    renameSync(join(scratch, "outputs", folder), join(generated, folder));
  rmSync(join(root, "library", "models"), { recursive: true, force: true });
  mkdirSync(join(root, "library", "models"));
  for (const { path, text } of shared) writeFileSync(join(root, "library", path), text);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
