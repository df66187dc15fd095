import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../library", import.meta.url));
const { name, exports } = createRequire(import.meta.url)("../../library/package.json");

/**
 * Lets esbuild bundle programs with the library, although other packages are external: with its
 * sources, or with the compiled library if `compiled` is set. Each class is in a bundle once,
 * because two classes of one name would fail `instanceof`.
 */
export function library({ compiled = false } = {}) {
  return {
    name: "library",
    setup(bundle) {
      bundle.onResolve({ filter: new RegExp(`^${name}/`) }, ({ path }) => {
        const { "a2a-codegen-source": source, default: file } = exports[path.replace(name, ".")];
        return { path: join(root, compiled ? file : source) };
      });
      if (!compiled) return;
      bundle.onResolve({ filter: /^\..*\.js$/ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        const isSource = file.startsWith(root) && !file.startsWith(join(root, "dist"));
        return isSource ? { path: file.replace(root, join(root, "dist")) } : undefined;
      });
    },
  };
}
