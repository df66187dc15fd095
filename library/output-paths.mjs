import { readdirSync } from "node:fs";
import { join, posix, sep } from "node:path";

/**
 * The paths of the library's folders in an output that has copies. The longest key decides. Outputs
 * have no copies of other folders, such as bridges to frameworks.
 */
const outputPaths = {
  runtime: "runtime",
  errors: "errors",
  models: "models",
  kit: "kit",
  "stores/testing": "kit/testing",
  stores: "kit/stores",
  client: "kit/client",
  auth: "kit/auth",
  "bridges/gateway": "kit/bridges/gateway",
};

const keys = Object.keys(outputPaths).sort((a, b) => b.length - a.length);

/** Returns the path in an output of a module of the library. Paths are without extension. */
export function outputPathOf(module) {
  const key = keys.find((each) => module === each || module.startsWith(`${each}/`));
  return key === undefined ? module : outputPaths[key] + module.slice(key.length);
}

/** Returns the modules of the library, by their paths in an output. */
export function libraryModules(root) {
  const folder = join(root, "library");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    .filter((file) => file.endsWith(".ts") && !file.startsWith("dist/"));
  const modules = files.map((file) => file.slice(0, -".ts".length));
  const byPath = modules.map((module) => [outputPathOf(module), module]);
  return new Map(byPath.sort(([a], [b]) => (`${a}.ts` < `${b}.ts` ? -1 : 1)));
}

/** Returns the text of a module with the specifiers that it has in an output. */
export function withOutputPaths(module, text) {
  const from = posix.dirname(outputPathOf(module));
  return text.replaceAll(
    /(?<=\bfrom "|\bimport\("|^import ")(\.[^"]*)\.js(?=")/gm,
    (_, specifier) => {
      const to = posix.relative(from, outputPathOf(posix.join(posix.dirname(module), specifier)));
      return `${to.startsWith(".") ? to : `./${to}`}.js`;
    },
  );
}
