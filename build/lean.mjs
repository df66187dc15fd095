import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * What packages load at each start and this one never calls, and what stands there instead. Loading these takes longer
 * than all that the command line does in a run with nothing to do.
 */
const unused = {
  // Declarations are laid out by the generator (`format: false`).
  prettier: `exports.format = () => { throw new Error("Nothing is formatted"); };`,
  // Schemas for json-schema-to-typescript are made in memory, and name types instead of referring to them.
  "@apidevtools/json-schema-ref-parser": `exports.$RefParser = class { dereference(_folder, schema) { return schema; } };`,
  "js-yaml": `exports.CORE_SCHEMA = { withTags() {} };`,
  // The compiler of Handlebars has a replacement of its own for source maps, which nothing here requests.
  "source-map": `exports.SourceNode = undefined;`,
  // protobufjs parses protos here, and reads no message with 64-bit numbers. Without this package, it omits their class.
  long: `module.exports = {};`,
  // Help is ASCII, where each character is one column; the package asks the Unicode tables of ICU.
  "string-width": `module.exports = (string) => string.replace(/\\u001b\\[\\d+m/g, "").length;`,
};

/** The functions of lodash that json-schema-to-typescript calls, each loaded alone and at its first use. */
const lodash = [
  ...["cloneDeep", "deburr", "endsWith", "includes", "isPlainObject", "map", "memoize", "merge", "omit", "trim"],
  ...["uniqBy", "upperFirst"],
];

function lodashModule() {
  const getters = lodash.map((name) => `get ${name}() { return require(${JSON.stringify(pathOf(name))}); }`);
  return `module.exports = { ${getters.join(", ")} };`;
}

function pathOf(name) {
  return require.resolve(`lodash/${name}`);
}

/** Leaves out of the bundle what is never called. */
export const lean = {
  name: "lean",
  setup(build) {
    const modules = new Map([...Object.entries(unused), ["lodash", lodashModule()]]);
    build.onResolve({ filter: /^[\w@]/ }, ({ path }) => (modules.has(path) ? { path, namespace: "lean" } : undefined));
    build.onLoad({ filter: /.*/, namespace: "lean" }, ({ path }) => ({ contents: modules.get(path), resolveDir: "/" }));
  },
};
