import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

const { exports } = createRequire(import.meta.url)("../../package.json");
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Puts the library in the place of templates, and the output of 1.0 that imports it in the place of the one with copies. */
function withLibrary(bundle) {
  const library = join(root, "dist", "library");
  const folders = [join(root, "templates"), join(root, "generated", "1.0")];
  bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
    const module = join(resolveDir, path.replace(/\.js$/, ""));
    const folder = folders.find((each) => module.startsWith(each + sep));
    if (folder === undefined) return undefined;
    const output = module.replace(folder, join(root, "generated", "1.0-package"));
    const isOutput = folder === folders[1] && existsSync(`${output}.ts`);
    return { path: isOutput ? `${output}.ts` : `${module.replace(folder, library)}.js` };
  });
  // By its path, as the modules of templates above, so that each class is there once.
  bundle.onResolve({ filter: /^a2a-codegen\// }, ({ path }) => {
    const { default: file } = exports[path.replace("a2a-codegen", ".")];
    return { path: join(root, file) };
  });
}

/** Lets esbuild bundle the kit with the output of 1.1-draft, so that both share their classes. */
export const kitSources = {
  name: "kit-sources",
  setup(bundle) {
    if (process.env["OUTPUT_MODE"] === "package") return withLibrary(bundle);
    const templates = join(root, "templates");
    bundle.onResolve({ filter: /^a2a-codegen\/runtime\// }, ({ path }) => ({
      path: `${path.replace("a2a-codegen", templates)}.ts`,
    }));
    // The errors of the library, on the sources of the runtime, so that each class is there once.
    const copies = join(root, "generated", "1.0");
    bundle.onResolve({ filter: /^a2a-codegen\/errors$/ }, () => ({ path: join(copies, "errors.ts") }));
    bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const asked = join(resolveDir, path.replace(/\.js$/, ".ts"));
      const module = asked.replace(join(copies, "runtime"), join(templates, "runtime"));
      const other = module.replace(templates, join(root, "generated", "1.1-draft"));
      const isKit = module.startsWith(join(templates, "kit")) && existsSync(module);
      return { path: isKit || !existsSync(other) ? module : other };
    });
  },
};
