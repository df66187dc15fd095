import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { packageFolder } from "../../generator/support/package-folder.js";

/**
 * Lets esbuild bundle modules of templates/kit/ with the output of a version. If both have a module, the module of the
 * output is used, so that no class exists twice.
 */
export function kitSources(version: string, prefersOutput: boolean): Plugin {
  const templates = join(packageFolder, "templates");
  const copies = join(packageFolder, "generated", "1.0");
  return {
    name: "kit-sources",
    setup(bundle) {
      // Outputs that import the library share its sources with the kit, so that each class is there once.
      bundle.onResolve({ filter: /^a2a-codegen\/runtime\// }, ({ path }) => ({
        path: `${path.replace("a2a-codegen", templates)}.ts`,
      }));
      bundle.onResolve({ filter: /^a2a-codegen\/errors$/ }, () => ({ path: join(copies, "errors.ts") }));
      bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const asked = join(resolveDir, path.replace(/\.js$/, ".ts"));
        const module = prefersOutput ? asked : asked.replace(join(copies, "runtime"), join(templates, "runtime"));
        const other = module.replace(templates, join(packageFolder, "generated", version));
        return { path: existsSync(other) && (prefersOutput || !existsSync(module)) ? other : module };
      });
    },
  };
}
