import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { outputPathOf } from "../../library/output-paths.mjs";

const { exports } = createRequire(import.meta.url)("../../package.json");
const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = join(root, "library");

/**
 * Lets esbuild bundle programs with the library, although other packages are external: with its
 * sources, or with the compiled library if `compiled` is set. Each class is in a bundle once,
 * because two classes of one name would fail `instanceof`.
 */
export function library({ compiled = false } = {}) {
  return {
    name: "library",
    setup(bundle) {
      bundle.onResolve({ filter: /^a2a-codegen\// }, ({ path }) => {
        const { "a2a-codegen-source": source, default: file } =
          exports[path.replace("a2a-codegen", ".")];
        return { path: join(root, compiled ? file : source) };
      });
      if (!compiled) return;
      bundle.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
        const module = join(resolveDir, path.replace(/\.js$/, ""));
        if (!module.startsWith(sources + sep)) return undefined;
        const place = outputPathOf(relative(sources, module).split(sep).join("/"));
        return { path: `${join(root, "dist", "library", place)}.js` };
      });
    },
  };
}
