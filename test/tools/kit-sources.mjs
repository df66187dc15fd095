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

/**
 * Lets esbuild bundle modules of templates/kit/ with the output of a version, or with the library if tests run against
 * it. If both the templates and the output have a module, only one of them may be bundled, because two classes of one
 * name would fail `instanceof`: the module of the output if `prefersOutput` is set, otherwise the template.
 */
export function kitSources({ version = "1.1-draft", prefersOutput = false } = {}) {
  const templates = join(root, "templates");
  const copies = join(root, "generated", "1.0");
  return {
    name: "kit-sources",
    setup(bundle) {
      if (process.env["OUTPUT_MODE"] === "package") return withLibrary(bundle);
      bundle.onResolve({ filter: /^a2a-codegen\/runtime\// }, ({ path }) => ({
        path: `${path.replace("a2a-codegen", templates)}.ts`,
      }));
      bundle.onResolve({ filter: /^a2a-codegen\/errors$/ }, () => ({ path: join(copies, "errors.ts") }));
      bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const asked = join(resolveDir, path.replace(/\.js$/, ".ts"));
        const module = prefersOutput ? asked : asked.replace(join(copies, "runtime"), join(templates, "runtime"));
        const other = module.replace(templates, join(root, "generated", version));
        return { path: existsSync(other) && (prefersOutput || !existsSync(module)) ? other : module };
      });
    },
  };
}
