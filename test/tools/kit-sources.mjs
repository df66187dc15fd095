import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lets esbuild bundle the kit as it is, on the output of 1.1-draft, which has the classes that both have to share. */
export const kitSources = {
  name: "kit-sources",
  setup(bundle) {
    const templates = join(root, "templates");
    bundle.onResolve({ filter: /^a2a-codegen\/runtime\// }, ({ path }) => ({
      path: `${path.replace("a2a-codegen", templates)}.ts`,
    }));
    bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const module = join(resolveDir, path.replace(/\.js$/, ".ts"));
      const other = module.replace(templates, join(root, "generated", "1.1-draft"));
      const isKit = module.startsWith(join(templates, "kit")) && existsSync(module);
      return { path: isKit || !existsSync(other) ? module : other };
    });
  },
};
