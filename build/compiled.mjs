import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

/**
 * Replaces the modules of `generator/compiled/` and `support/yaml.ts` with the results of
 * `compile.ts`, and writes its files into a folder.
 */
export function compiled(root, dist) {
  return {
    name: "compiled",
    async setup({ onLoad }) {
      const { modules, files } = await (compiling ??= compile(root));
      mkdirSync(dist, { recursive: true });
      for (const [name, text] of Object.entries(files))
        writeFileSync(join(dist, name), brotliCompressSync(text));
      onLoad(
        {
          filter:
            /[\\/](?:generator[\\/]compiled[\\/][\w-]+|input[\\/]bundled-digests|support[\\/]yaml)\.ts$/,
        },
        ({ path }) => {
          const contents = modules[basename(path, ".ts")];
          return contents === undefined ? undefined : { contents, loader: "js", resolveDir: root };
        },
      );
    },
  };
}

/** The result of `compile.ts`, which all bundles share. */
let compiling;

/** Bundles and runs `compile.ts`. Node cannot run it without bundling. */
async function compile(root) {
  const outfile = join(root, "build", ".out", `compile-${process.pid}.mjs`);
  const entryPoints = [join(root, "build", "compile.ts")];
  try {
    await build({
      entryPoints,
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
    });
    return (await import(pathToFileURL(outfile).href)).compile();
  } finally {
    rmSync(outfile, { force: true });
  }
}
