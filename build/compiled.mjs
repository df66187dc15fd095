import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** Puts what `compile.ts` makes in the place of the modules of `generator/compiled/`. */
export function compiled(root) {
  return {
    name: "compiled",
    async setup({ onLoad }) {
      const modules = await compileModules(root);
      onLoad({ filter: /[\\/]generator[\\/]compiled[\\/][\w-]+\.ts$/ }, ({ path }) => {
        const contents = modules[basename(path, ".ts")];
        return contents === undefined ? undefined : { contents, loader: "js", resolveDir: root };
      });
    },
  };
}

/** Runs `compile.ts`, which Node can only do after it has been bundled. */
async function compileModules(root) {
  const outfile = join(root, "build", `.compile-${process.pid}.mjs`);
  const entryPoints = [join(root, "build", "compile.ts")];
  try {
    await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", packages: "external" });
    const { compileModules } = await import(pathToFileURL(outfile).href);
    return compileModules();
  } finally {
    rmSync(outfile, { force: true });
  }
}
