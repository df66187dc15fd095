import { exampleNames } from "../project/examples.js";
import type { ValuesOf } from "../../tools/terminal/program.js";
import {
  clientProbeOptions,
  ownProbeOptions,
  probeOptions,
} from "../../tools/a2a/probe-options.js";

const oneSpec = "Version, or path of a proto or JSON Schema";

const specOptions = {
  spec: {
    type: "string",

    describe: `${oneSpec} (default: as configured, or 1.0)`,
  },
  schema: { type: "string", describe: "JSON Schema that belongs to a proto" },
  manifest: { type: "string", describe: "Binding manifest: a version, or the path of a YAML file" },
  "proto-path": {
    type: "string",
    array: true,

    describe:
      "Folder that imports of a proto are relative to; repeatable (default: found by the package " +
      "of the proto)",
  },
} as const;

const outputOptions = {
  ...specOptions,
  versions: {
    type: "string",

    isList: true,
    describe: "Comma-separated additional versions that the output supports, such as 0.3.0",
  },
  out: { type: "string", describe: "Output folder (default: src/a2a)" },
  targets: {
    type: "string",

    isList: true,
    describe:
      "Comma-separated targets (default: all but store-*, schema, openapi, openrpc and docs)",
  },
  templates: {
    type: "string",

    describe: "Folder with templates that replace the built-in templates",
  },
  runtime: {
    type: "string",
    describe:
      "Support modules: package, copy, or another package (default: package if the project " +
      "lists it, otherwise copy)",
  },
  agent: {
    type: "string",
    alias: "implementation",
    describe: "Program of the agent or of the services to create, or to merge new operations into",
  },
  aliases: {
    choices: ["all", "none"] as const,
    describe: "Deprecated aliases for old names (default: none)",
  },
  "import-extension": {
    choices: ["js", "ts", "none"] as const,
    describe: "Ending of relative imports (default: js)",
  },
  force: { type: "boolean", default: false, describe: "Overwrite files that were edited by hand" },
  verbose: {
    type: "boolean",
    default: false,
    describe: "List the values that bindings of the specification lose",
  },
} as const;

const jsonOption = {
  json: { type: "boolean", default: false, describe: "Print one JSON document" },
} as const;

const configOption = {
  config: {
    type: "string",

    describe: "Configuration file (default: a2a-codegen.config.json)",
  },
} as const;

/** Options of each command, in the order of its help. */
export const options = {
  generate: {
    ...outputOptions,
    spec: {
      ...outputOptions.spec,
      describe:
        "Version, path of a proto or JSON Schema, folder of protos, comma-separated list of these, " +
        "or all (default: as configured, or 1.0)",
    },
    extension: {
      type: "string",

      isList: true,
      describe:
        "Comma-separated JSON Schemas of extensions, as FILE or URI=FILE, which become modules " +
        "of the output",
    },
    ...jsonOption,
    ...configOption,
    check: { type: "boolean", default: false, describe: "Only check if the output is up to date" },
    "dry-run": { type: "boolean", default: false, describe: "Only print what would change" },
    watch: {
      type: "boolean",
      default: false,
      describe: "Generate again after each change of the input",
    },
  },
  init: {
    ...outputOptions,
    spec: { ...outputOptions.spec, describe: `${oneSpec} (default: 1.0)` },
    agent: {
      ...outputOptions.agent,
      describe:
        "Program of the agent or of the services to create (default: src/agent.ts, or " +
        "src/server.ts for services)",
    },
    force: {
      ...outputOptions.force,
      describe: "Overwrite the configuration, and files that were edited by hand",
    },
    ...jsonOption,
    example: { choices: exampleNames, describe: "Write an example instead of the agent skeleton" },
    "agents-md": {
      type: "boolean",
      describe: "Write AGENTS.md and a skill for coding agents (default: ask)",
    },
    yes: { type: "boolean", alias: "y", default: false, describe: "Do not ask questions" },
  },
  validate: {
    ...specOptions,
    ...jsonOption,
    strict: { type: "boolean", default: false, describe: "Accept only canonical JSON" },
    "max-bytes": {
      type: "number",
      describe: "Maximum number of bytes to read (default: 67108864)",
    },
    timeout: { type: "number", describe: "Time-out for a URL in seconds (default: 30)" },
  },
  diff: {
    manifest: specOptions.manifest,
    "proto-path": specOptions["proto-path"],
    ...jsonOption,
    format: {
      choices: ["text", "json", "md"] as const,
      describe: "Format of the report (default: text)",
    },
    "fail-on": {
      choices: ["breaking", "breaking:source", "breaking:json", "breaking:protobuf"],
      describe: "Exit with 1 if the report has such a change",
    },
  },
  eject: {
    ...jsonOption,
    ...configOption,
    back: { type: "boolean", default: false, describe: "Switch back to the package" },
    force: outputOptions.force,
  },
  audit: {
    ...jsonOption,
    ...configOption,
    out: { ...outputOptions.out, describe: "Output folder (default: as configured, or src/a2a)" },
    advisories: {
      type: "string",

      describe: "List of advisories (default: bundled with the package)",
    },
  },
  upgrade: {
    ...jsonOption,
    to: { type: "string", describe: "New version, or path of the new specification" },
    from: {
      type: "string",
      describe: "Previous state of your proto, if you have changed the configured file",
    },
    schema: specOptions.schema,
    manifest: specOptions.manifest,
    keep: {
      type: "boolean",
      default: false,
      describe: "Keep supporting the current version, with an adapter in the output",
    },
    write: {
      type: "boolean",
      default: false,
      describe: "Write the changes. Without it, only print them",
    },
    force: {
      type: "boolean",
      default: false,
      describe: "Overwrite edited output and uncommitted changes",
    },
    diff: {
      type: "boolean",
      default: false,
      describe: "Also list all differences between the specifications",
    },
    ...configOption,
    tsconfig: { type: "string", describe: "TypeScript project (default: the nearest one)" },
  },
  inspect: {
    port: { type: "number", describe: "Port of the page on 127.0.0.1 (default: a free port)" },
    allow: {
      type: "string",

      isList: true,
      describe: "Comma-separated URLs that the page may call without asking (default: none)",
    },
    open: { type: "boolean", describe: "Open a browser (default: in a terminal with a display)" },
  },
  probe: { ...clientProbeOptions, ...probeOptions, ...ownProbeOptions },
  list: jsonOption,
} as const;

/** Values of the options of a command, and the folder in which it runs. */
export type Arguments<Name extends keyof typeof options> = ValuesOf<(typeof options)[Name]> & {
  readonly cwd: string;
};
