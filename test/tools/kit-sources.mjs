import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { outputPathOf } from "../../library/output-paths.mjs";

const { exports } = createRequire(import.meta.url)("../../package.json");
const root = fileURLToPath(new URL("../..", import.meta.url));

const sources = join(root, "library");

/** Returns the path in an output of a module, or undefined if the library does not contain the module. */
function outputPathIn(module) {
  if (!module.startsWith(sources + sep)) return undefined;
  return outputPathOf(
    relative(sources, module)
      .split(sep)
      .join("/")
      .replace(/\.[jt]s$/, ""),
  );
}

/** Replaces the sources of the library by the compiled library, and the output of 1.0 that imports it in the place of the one with copies. */
function withLibrary(bundle) {
  const library = join(root, "dist", "library");
  const folder = join(root, "generated", "1.0");
  bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
    const module = join(resolveDir, path.replace(/\.js$/, ""));
    const place = outputPathIn(module);
    if (place !== undefined) return { path: `${join(library, place)}.js` };
    if (!module.startsWith(folder + sep)) return undefined;
    const output = module.replace(folder, join(root, "generated", "1.0-package"));
    const isOutput = existsSync(`${output}.ts`);
    return { path: isOutput ? `${output}.ts` : `${module.replace(folder, library)}.js` };
  });
  // By its path, as the sources above, so that each class is there once.
  bundle.onResolve({ filter: /^a2a-codegen\// }, ({ path }) => {
    const { default: file } = exports[path.replace("a2a-codegen", ".")];
    return { path: join(root, file) };
  });
}

/**
 * Lets esbuild bundle modules of library/ with the output of a version, or with the library if tests run against
 * it. If both the library and the output have a module, only one of them may be bundled, because two classes of one
 * name would fail `instanceof`: the module of the output if `prefersOutput` is set, otherwise the source.
 */
export function kitSources({ version = "1.1-draft", prefersOutput = false } = {}) {
  const copies = join(root, "generated", "1.0");
  return {
    name: "kit-sources",
    setup(bundle) {
      if (process.env["OUTPUT_MODE"] === "package") return withLibrary(bundle);
      bundle.onResolve({ filter: /^a2a-codegen\/runtime\// }, ({ path }) => ({
        path: `${path.replace("a2a-codegen", sources)}.ts`,
      }));
      bundle.onResolve({ filter: /^a2a-codegen\/errors$/ }, () => ({ path: join(copies, "errors.ts") }));
      bundle.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const asked = join(resolveDir, path.replace(/\.js$/, ".ts"));
        const module = prefersOutput ? asked : asked.replace(join(copies, "runtime"), join(sources, "runtime"));
        const place = outputPathIn(module);
        const other = place === undefined ? module : `${join(root, "generated", version, place)}.ts`;
        return { path: existsSync(other) && (prefersOutput || !existsSync(module)) ? other : module };
      });
    },
  };
}
