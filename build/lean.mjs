import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Replacements for code that packages load at each start, but that is never called. Loading this
 * code takes longer than a whole run of the command line without changes.
 */
const unused = {
  // The generator formats declarations itself (`format: false`).
  prettier: `exports.format = () => { throw new Error("Nothing is formatted"); };`,
  // Schemas for json-schema-to-typescript are created in memory and contain no references.
  "@apidevtools/json-schema-ref-parser":
    "exports.$RefParser = class { dereference(_folder, " + "schema) { return schema; } };",
  "js-yaml": `exports.CORE_SCHEMA = { withTags() {} };`,
  // The compiler of Handlebars has its own replacement for source maps, which are not used here.
  "source-map": `exports.SourceNode = undefined;`,
  // protobufjs only parses protos here, and reads no 64-bit numbers. If this package is empty, it
  // omits their class.
  long: `module.exports = {};`,
  // The help is ASCII, so each character is one column. The package would load the Unicode tables
  // of ICU.
  "string-width": `module.exports = (string) => string.replace(/\\u001b\\[\\d+m/g, "").length;`,
};

/**
 * Modules of protobufjs for messages, of which the generator reads and writes none. They are called
 * at the first message.
 */
const ofMessages = /^\.\/(?:converter|decoder|encoder|verifier|wrappers)$/;

/**
 * The lodash functions that json-schema-to-typescript calls. Each function is loaded separately at
 * its first use.
 */
const lodash = [
  ...[
    "cloneDeep",
    "deburr",
    "endsWith",
    "includes",
    "isPlainObject",
    "map",
    "memoize",
    "merge",
    "omit",
    "trim",
  ],
  ...["uniqBy", "upperFirst"],
];

function lodashModule() {
  const getters = lodash.map(
    (name) => `get ${name}() { return require(${JSON.stringify(pathOf(name))}); }`,
  );
  return `module.exports = { ${getters.join(", ")} };`;
}

function pathOf(name) {
  return require.resolve(`lodash/${name}`);
}

/** Plugin that removes code that is never called from the bundle. */
export const lean = {
  name: "lean",
  setup(build) {
    const modules = new Map([
      ...Object.entries(unused),
      ["lodash", lodashModule()],
      ["empty", "module.exports = {};"],
    ]);
    build.onResolve({ filter: /^[\w@]/ }, ({ path }) =>
      modules.has(path) ? { path, namespace: "lean" } : undefined,
    );
    build.onResolve({ filter: ofMessages }, ({ importer }) =>
      /[\\/]protobufjs[\\/]src[\\/]/.test(importer)
        ? { path: "empty", namespace: "lean" }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "lean" }, ({ path }) => ({
      contents: modules.get(path),
      resolveDir: "/",
    }));
  },
};
