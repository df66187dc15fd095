import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { basename, dirname, join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { libraryModules } from "../../../library/output-paths.mjs";
import { packageFolder } from "../../../support/package-folder.js";

/**
 * Allowed imports of a part of generator/, support/ or tools/: other parts, packages, and modules
 * of Node. `type` only allows types.
 */
interface Rule {
  readonly parts?: readonly string[];
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
  readonly node?: readonly string[];
}

const rules: Readonly<Record<string, Rule>> = {
  support: { packages: ["yaml"], node: ["crypto", "fs", "path"] },
  compiled: {
    parts: ["library"],
    packages: ["handlebars", "typescript"],
    node: ["fs", "module", "path"],
  },
  api: {
    parts: ["core", "input", "project", "targets"],
    types: ["compiled", "protocol"],
    node: ["path"],
  },
  project: {
    parts: ["compiled", "core", "input", "merge", "output", "targets"],
    packages: ["jsonc-parser"],
    node: ["fs", "module", "os", "path", "url"],
  },
  core: {
    parts: ["emit", "input", "protocol", "render", "targets"],
    types: ["compiled", "merge"],
    node: ["crypto"],
  },
  input: { parts: ["compiled", "protocol"], packages: ["protobufjs"], node: ["fs", "path"] },
  protocol: { types: ["input", "library/runtime/versions"] },
  emit: { parts: ["protocol"] },
  targets: { parts: ["emit", "protocol"], packages: ["json-schema-to-typescript"] },
  render: { parts: ["compiled"], packages: ["handlebars"] },
  merge: { packages: ["ts-morph"], node: ["fs", "path"] },
  output: {
    parts: ["compiled"],
    types: ["core"],
    packages: ["typescript"],
    node: ["fs", "os", "path"],
  },
  document: {
    parts: [
      "core",
      "emit",
      "input",
      "project",
      "protocol",
      "library/runtime/protocol",
      "library/runtime/schema",
    ],
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
      "output",
      "project",
      "targets",
      "tools/a2a",
      "tools/inspector/server",
      "tools/terminal",
      "upgrade",
    ],
    types: ["protocol"],
    packages: ["yargs"],
    node: ["child_process", "events", "fs", "module", "path"],
  },
  // Runs in browsers, too, so it uses no module of Node.
  "tools/agents": {
    parts: ["generated/1.0/*", "library/runtime/base"],
    packages: ["a2a-codegen-runtime/internal/*"],
  },
  "tools/inspector/page": {
    parts: ["tools/agents", "generated/1.0/*"],
    packages: ["a2a-codegen-runtime/internal/*"],
  },
  "tools/inspector/agent": {
    parts: ["tools/inspector/server"],
    packages: ["a2a-codegen-runtime/internal/*"],
  },
  "tools/inspector/server": {
    parts: ["generated/1.0/*", "tools/agents"],
    packages: ["a2a-codegen-runtime/*"],
    node: [
      "crypto",
      "dns",
      "events",
      "fs",
      "http",
      "https",
      "net",
      "path",
      "stream",
      "stream/promises",
      "zlib",
    ],
  },
  "tools/probe": {
    parts: ["generated/1.0/*", "tools/agents"],
    packages: ["a2a-codegen-runtime/internal/*"],
    node: ["events", "fs", "http", "path", "timers/promises"],
  },
  "tools/terminal": { packages: ["yargs"], node: ["child_process", "readline/promises"] },
  "tools/a2a": {
    parts: [
      "generated/1.0/*",
      "library/runtime/http/adapters",
      "tools/agents",
      "tools/probe",
      "tools/terminal",
    ],
    packages: ["@grpc/grpc-js", "a2a-codegen-runtime/*"],
    node: [
      "crypto",
      "events",
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

const root = packageFolder;
const files = ["generator", "support", "tools"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(folder, file)),
);

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

/**
 * The part that a file belongs to: a folder of generator/, tools/ or tools/inspector/, or support/.
 */
function partOf(file: string) {
  const [area = "", part = "", folder = ""] = file.split(sep);
  if (area === "generator") return part;
  if (area !== "tools") return area;
  return part === "inspector" ? `${area}/${part}/${folder}` : `${area}/${part}`;
}

/** The first folder of a path, or the module. */
const folderOf = (file: string) => (file.split(sep)[0] ?? "").replace(/\.ts$/, "");

/** Returns whether a list contains a name, or the folder of the name as `folder/*`. */
function includes(list: readonly string[] | undefined, name: string) {
  return (
    list?.some(
      (each) => each === name || (each.endsWith("/*") && `${name}/`.startsWith(each.slice(0, -1))),
    ) === true
  );
}

function targetOf({ from, to }: Import): { kind: "part" | "package" | "node"; name: string } {
  if (!to.startsWith(".")) {
    const name = to.replace(/^node:/, "");
    return {
      kind: to.startsWith("node:") || builtinModules.includes(name) ? "node" : "package",
      name,
    };
  }
  const path = relative(root, join(root, dirname(from), to));
  if (!["generator", "support", "tools"].includes(folderOf(path)))
    return { kind: "part", name: dirname(path).split(sep).join("/") };
  return { kind: "part", name: partOf(path).replace(/\.js$/, ".ts") };
}

function violationOf(found: Import) {
  const part = partOf(found.from);
  const rule = rules[part];
  if (rule === undefined) return `${part} has no rule; add it to the table`;
  const { kind, name } = targetOf(found);
  if (kind === "part" && (name === part || shared.includes(name) || includes(rule.parts, name)))
    return undefined;
  if (kind === "part" && found.typeOnly && rule.types?.includes(name)) return undefined;
  if (kind === "package" && includes(rule.packages, name)) return undefined;
  if (kind === "node" && rule.node?.includes(name)) return undefined;
  const what = kind === "part" && rule.types?.includes(name) ? `more than types of ${name}` : name;
  return `${found.from} imports ${what}; ${part} may import ${JSON.stringify(rule)}`;
}

describe("the parts of the generator", () => {
  it("each file imports only what the rule of its part allows", () => {
    expect(files.flatMap(importsOf).flatMap((found) => violationOf(found) ?? [])).toEqual([]);
  });

  it("the part that reads a specification does not import the parts that write output", () => {
    const readers = ["read.ts", "combine.ts"].map((file) => join("generator", "core", file));
    const parts = readers.flatMap(importsOf).map((found) => targetOf(found).name);
    expect([...new Set(parts)].sort()).toEqual(["core", "input", "protocol", "support"]);
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
    const named = files.filter((file) =>
      /"(?:jsonrpc|rest|grpc)"/.test(readFileSync(join(root, file), "utf8")),
    );
    expect(named.map((file) => file.split(sep).slice(1).join("/")).sort()).toEqual([
      "core/combine.ts",
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
    expect(
      speakers.filter((file) => !["cli", "tools/a2a", "tools/terminal"].includes(partOf(file))),
    ).toEqual([]);
  });
});

/**
 * Layers of the support modules: each layer imports only the listed layers. The name of a binding's
 * module starts with its side, or the module belongs to neither side: a transport does not know its
 * callers, and one side does not require the other.
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

function layerOf(file: string) {
  const layer = folderOf(file);
  const side = layer === "bindings" ? /^(?:client|server)\b/.exec(basename(file))?.[0] : undefined;
  return side === undefined ? layer : `${layer}, ${side}`;
}

describe("the support modules", () => {
  const runtime = join(packageFolder, "library", "runtime");
  const modules = readdirSync(runtime, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const importsOfModule = (file: string) =>
    [...readFileSync(join(runtime, file), "utf8").matchAll(statement)].map(
      ([, , , fixed, dynamic]) => fixed ?? dynamic ?? "",
    );

  it("a support module imports no package except for the listed packages", () => {
    const allowed = [
      "node:buffer",
      "node:http",
      "node:http2",
      "node:net",
      "node:stream",
      "node:tls",
      "node:zlib",
      "@grpc/grpc-js",
    ];
    const foreign = modules.flatMap((file) =>
      importsOfModule(file)
        .filter((to) => !to.startsWith(".") && !allowed.includes(to))
        .map((to) => `${file} imports ${to}`),
    );
    expect(foreign).toEqual([]);
  });

  const neighboursOf = (file: string) =>
    importsOfModule(file)
      .filter((to) => to.startsWith("."))
      .map((to) => relative(runtime, join(runtime, dirname(file), to)).replace(/\.js$/, ".ts"));

  it("a support module imports its own layer and the layers below it", () => {
    const upwards = modules.flatMap((file) => {
      const layer = layerOf(file);
      return neighboursOf(file)
        .filter((to) => layerOf(to) !== layer && !layers[layer]?.includes(layerOf(to)))
        .map((to) => `${file} imports ${to}`);
    });
    expect(upwards).toEqual([]);
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

/** Allowed imports of each folder of the library. Only the runtime does not know the type Task. */
const libraryFolders: Readonly<Record<string, readonly string[]>> = {
  runtime: [],
  errors: ["runtime"],
  models: ["runtime"],
  internal: ["runtime"],
  kit: ["runtime", "errors", "models", "auth"],
  stores: ["runtime", "errors", "kit"],
  client: ["runtime", "errors", "kit"],
  auth: ["runtime", "errors", "kit", "client"],
  node: ["runtime", "kit"],
  testing: ["kit", "stores"],
  bridges: ["runtime", "errors", "models", "kit", "client"],
};

describe("the folders of the library", () => {
  const library = join(packageFolder, "library");
  const modules = [...libraryModules(packageFolder).values()].map((module) => `${module}.ts`);

  it("each folder of the library has a rule", () => {
    expect(
      [...new Set(modules.map(folderOf))].filter((folder) => libraryFolders[folder] === undefined),
    ).toEqual([]);
  });

  it("a module of the library only imports the folders that the rule of its folder allows", () => {
    const foreign = modules.flatMap((file) => {
      const targets = [...readFileSync(join(library, file), "utf8").matchAll(statement)].map(
        ([, , , fixed, dynamic]) => fixed ?? dynamic ?? "",
      );
      const paths = targets.filter((to) => to.startsWith(".")).map((to) => join(dirname(file), to));
      const inside = paths.map((path) => folderOf(path).replace(/\.js$/, ""));
      const layer = folderOf(file);
      return inside
        .filter((to) => to !== layer && !libraryFolders[layer]?.includes(to))
        .map((to) => `${file} → ${to}`);
    });
    expect(foreign).toEqual([]);
  });
});
