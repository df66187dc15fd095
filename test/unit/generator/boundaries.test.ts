import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolder } from "../../../generator/support/package-folder.js";

/** Allowed imports of a part of the generator: other parts, packages, and modules of Node. `type` only allows types. */
interface Rule {
  readonly parts?: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
}

const rules: Readonly<Record<string, Rule>> = {
  support: { node: ["fs", "path", "url"] },
  compiled: { packages: ["handlebars", "yaml"], node: ["fs", "path"] },
  api: { parts: ["core", "input", "project", "targets"], types: ["compiled", "protocol"], node: ["path"] },
  project: {
    parts: ["compiled", "core", "input", "merge", "output", "targets"],
    packages: ["jsonc-parser"],
    node: ["fs", "module", "os", "path", "url"],
  },
  core: { parts: ["emit", "input", "protocol", "render", "targets"], types: ["compiled", "merge"], node: ["crypto"] },
  input: { parts: ["compiled", "protocol"], packages: ["protobufjs"], node: ["fs", "path"] },
  protocol: { types: ["input", "templates/runtime/versions"] },
  emit: { parts: ["protocol"] },
  targets: { parts: ["emit", "protocol"], packages: ["json-schema-to-typescript"] },
  render: { parts: ["compiled"], packages: ["handlebars"] },
  merge: { packages: ["ts-morph"], node: ["fs", "path"] },
  output: { types: ["core"], node: ["crypto", "fs", "path"] },
  document: {
    parts: ["core", "emit", "input", "project", "protocol", "templates/runtime/protocol", "templates/runtime/schema"],
    node: ["fs", "path"],
  },
  diff: { parts: ["core", "input", "protocol"] },
  upgrade: {
    parts: ["core", "diff", "input", "output", "project", "protocol"],
    types: ["merge"],
    packages: ["jsonc-parser", "ts-morph"],
    node: ["child_process", "crypto", "fs", "path"],
  },
  cli: {
    parts: [
      "diff",
      "document",
      "input",
      "inspect/cli",
      "inspect/probe",
      "inspect/server",
      "output",
      "project",
      "targets",
      "upgrade",
    ],
    types: ["protocol"],
    packages: ["yargs"],
    node: ["child_process", "events", "fs", "module", "path", "readline/promises"],
  },
  // Runs in browsers, too, so it uses no module of Node.
  "inspect/core": { parts: ["generated/1.0-package/*"], packages: ["a2a-codegen/runtime/*"] },
  "inspect/page": { parts: ["inspect/core", "generated/1.0-package/*"], packages: ["a2a-codegen/runtime/*"] },
  "inspect/agent": { parts: ["inspect/server"], packages: ["a2a-codegen/runtime/*"] },
  "inspect/server": {
    parts: ["generated/1.0-package/*", "inspect/core"],
    packages: ["a2a-codegen/kit/*", "a2a-codegen/runtime/*"],
    node: ["crypto", "dns", "events", "fs", "http", "https", "net", "path", "stream", "stream/promises", "zlib"],
  },
  "inspect/probe": {
    parts: ["compiled", "generated/1.0-package/*", "inspect/core"],
    packages: ["a2a-codegen/runtime/*"],
    node: ["events", "fs", "http", "path"],
  },
  "inspect/cli": {
    parts: ["cli", "generated/1.0-package/*", "inspect/core", "inspect/probe"],
    packages: ["@grpc/grpc-js", "a2a-codegen/*", "yargs"],
    node: [
      "crypto",
      "fs",
      "http",
      "https",
      "module",
      "os",
      "path",
      "readline",
      "stream",
      "timers/promises",
      "tls",
      "url",
    ],
  },
};

/** Imports that every part may use. */
const shared = ["support"];

const root = join(packageFolder, "generator");
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const statement = /^(import|export) (type )?(?:[^;"']*? from )?"([^"]+)";|\bimport\("([^"]+)"\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(statement)].map(([, , type, fixed, dynamic]) => ({
    from: file,
    to: fixed ?? dynamic ?? "",
    typeOnly: type !== undefined,
  }));
}

/** The part of the generator that a file belongs to: its folder, or itself. The folders of the inspector are parts. */
function partOf(file: string): string {
  const [part = "", folder = ""] = file.split(sep);
  return part === "inspect" ? `${part}/${folder}` : part;
}

/** Returns whether a list contains a name, or the folder of the name as `folder/*`. */
function includes(list: readonly string[] | undefined, name: string): boolean {
  return (
    list?.some((each) => each === name || (each.endsWith("/*") && `${name}/`.startsWith(each.slice(0, -1)))) === true
  );
}

function targetOf({ from, to }: Import): { kind: "part" | "package" | "node"; name: string } {
  if (!to.startsWith(".")) {
    const name = to.replace(/^node:/, "");
    return { kind: to.startsWith("node:") || builtinModules.includes(name) ? "node" : "package", name };
  }
  const path = relative(root, join(root, dirname(from), to));
  if (path.startsWith("..")) return { kind: "part", name: dirname(relative("..", path)).split(sep).join("/") };
  return { kind: "part", name: partOf(path).replace(/\.js$/, ".ts") };
}

function violationOf(found: Import): string | undefined {
  const part = partOf(found.from);
  const rule = rules[part];
  if (rule === undefined) return `generator/${part} has no rule; add it to the table`;
  const { kind, name } = targetOf(found);
  if (kind === "part" && (name === part || shared.includes(name) || includes(rule.parts, name))) return undefined;
  if (kind === "part" && found.typeOnly && rule.types?.includes(name)) return undefined;
  if (kind === "package" && includes(rule.packages, name)) return undefined;
  if (kind === "node" && rule.node?.includes(name)) return undefined;
  const what = kind === "part" && rule.types?.includes(name) ? `more than types of ${name}` : name;
  return `generator/${found.from} imports ${what}; ${part} may import ${JSON.stringify(rule)}`;
}

describe("the parts of the generator", () => {
  it.each(files)("generator/%s imports only what the rule of its part allows", (file) => {
    expect(importsOf(file).flatMap((found) => violationOf(found) ?? [])).toEqual([]);
  });

  it("the part that reads a specification does not import the parts that write output", () => {
    const readers = files.filter((file) => file === join("core", "read.ts"));
    const parts = readers.flatMap(importsOf).map((found) => targetOf(found).name);
    expect([...new Set(parts)].sort()).toEqual(["input", "protocol", "support"]);
  });

  it("each part has a rule, and each rule has a part", () => {
    const parts = new Set(files.map(partOf).filter((part) => part !== "tsconfig.json"));
    expect([...parts].sort()).toEqual(Object.keys(rules).sort());
  });

  it("the test finds the imports of the parts", () => {
    expect(files.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  it("only the part that merges imports ts-morph, which loads slowly", () => {
    const loaders = files.filter((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return [...text.matchAll(statement)].some(([, , type, fixed]) => {
        const leads = fixed === "ts-morph" || /(?:^|\/)merge\/(?!types\.js)/.test(fixed ?? "");
        return leads && type === undefined;
      });
    });
    expect(loaders.filter((file) => partOf(file) !== "merge")).toEqual([]);
  });

  it("code outside of the table of transports names no transport, except for the listed files", () => {
    const named = files.filter((file) => /"(?:jsonrpc|rest|grpc)"/.test(readFileSync(join(root, file), "utf8")));
    expect(named.map((file) => file.split(sep).join("/")).sort()).toEqual([
      "core/read.ts",
      "diff/compare-fields.ts",
      "emit/output-modules.ts",
      "input/proto/services.ts",
      "protocol/build/link.ts",
      "protocol/correlate/losses.ts",
      "protocol/model/types.ts",
      "targets/documents/openapi.ts",
      "targets/documents/openrpc.ts",
      "targets/transports/table.ts",
    ]);
  });

  it("only the command line writes to the terminal", () => {
    const speakers = files.filter((file) =>
      /\bconsole\.|process\.(stdout|stderr|exit)/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(speakers.filter((file) => !["cli", "inspect/cli"].includes(partOf(file)))).toEqual([]);
  });
});

/**
 * Layers of the support modules: each layer imports only the listed layers. The name of a binding's module starts with
 * its side, or the module belongs to neither side: a transport does not know its callers, and one side does not require
 * the other.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  schema: ["base"],
  protobuf: ["base", "schema"],
  protocol: ["base", "schema", "protobuf"],
  http: ["base", "schema", "protocol"],
  client: ["base", "schema", "protocol", "http"],
  server: ["base", "schema", "protocol", "http"],
  bindings: ["base", "schema", "protobuf", "protocol"],
  "bindings, client": ["base", "schema", "protobuf", "protocol", "http", "bindings"],
  "bindings, server": ["base", "schema", "protobuf", "protocol", "http", "bindings", "server"],
  versions: ["base", "schema", "protocol", "client", "server"],
};

function layerOf(file: string): string {
  const layer = partOf(file);
  const side = layer === "bindings" ? /^(?:client|server)\b/.exec(basename(file))?.[0] : undefined;
  return side === undefined ? layer : `${layer}, ${side}`;
}

describe("the support modules", () => {
  const runtime = join(packageFolder, "templates", "runtime");
  const modules = readdirSync(runtime, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const importsOfModule = (file: string): string[] =>
    [...readFileSync(join(runtime, file), "utf8").matchAll(statement)].map(
      ([, , , fixed, dynamic]) => fixed ?? dynamic ?? "",
    );

  it.each(modules)("templates/runtime/%s imports no package except for the listed packages", (file) => {
    const allowed = ["node:buffer", "node:http", "node:net", "node:stream", "node:tls", "@grpc/grpc-js"];
    const foreign = importsOfModule(file).filter((to) => !to.startsWith("."));
    expect(foreign.filter((to) => !allowed.includes(to))).toEqual([]);
  });

  const neighboursOf = (file: string): string[] =>
    importsOfModule(file)
      .filter((to) => to.startsWith("."))
      .map((to) => relative(runtime, join(runtime, dirname(file), to)).replace(/\.js$/, ".ts"));

  it.each(modules)("templates/runtime/%s imports its own layer and the layers below it", (file) => {
    const layer = layerOf(file);
    const imported = neighboursOf(file).filter((to) => layerOf(to) !== layer && !layers[layer]?.includes(layerOf(to)));
    expect(imported).toEqual([]);
  });

  it("support modules do not import each other in a circle, including type imports", () => {
    const finished = new Set<string>();
    const circleFrom = (file: string, path: readonly string[]): readonly string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (finished.has(file)) return undefined;
      for (const next of neighboursOf(file)) {
        const circle = circleFrom(next, [...path, file]);
        if (circle !== undefined) return circle;
      }
      finished.add(file);
      return undefined;
    };
    expect(modules.flatMap((file) => circleFrom(file, []) ?? [])).toEqual([]);
  });
});

/** Allowed imports of the emitted modules in each folder of templates/. Only `kit` may know the type Task. */
const emittedLayers: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  kit: ["runtime", "models", "errors", "validators", "operations", "client", "server"],
};

describe("the folders of emitted modules", () => {
  const templates = join(packageFolder, "templates");
  const modules = readdirSync(templates, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

  it("the folders with emitted modules are runtime/ and kit/", () => {
    expect([...new Set(modules.map(partOf))].filter((folder) => emittedLayers[folder] === undefined)).toEqual([]);
  });

  it("an emitted module only imports the folders that its layer allows", () => {
    const foreign = modules.flatMap((file) => {
      const targets = [...readFileSync(join(templates, file), "utf8").matchAll(statement)].map(
        ([, , , fixed, dynamic]) => fixed ?? dynamic ?? "",
      );
      const paths = targets.filter((to) => to.startsWith(".")).map((to) => join(dirname(file), to));
      const inside = paths.map((path) => partOf(path).replace(/\.js$/, ""));
      const layer = partOf(file);
      return inside.filter((to) => to !== layer && !emittedLayers[layer]?.includes(to)).map((to) => `${file} → ${to}`);
    });
    expect(foreign).toEqual([]);
  });
});
