const oneSpec = "Version, or path of a proto or JSON Schema";

const specOptions = {
  spec: {
    type: "string",
    requiresArg: true,
    describe: `${oneSpec} (default: as configured, or 1.0)`,
  },
  schema: { type: "string", requiresArg: true, describe: "JSON Schema that belongs to a proto" },
  manifest: { type: "string", requiresArg: true, describe: "Binding manifest: a version, or the path of a YAML file" },
} as const;

const outputOptions = {
  ...specOptions,
  versions: {
    type: "string",
    requiresArg: true,
    describe: "Comma-separated versions that the output speaks as well, such as 0.3.0",
  },
  out: { type: "string", requiresArg: true, describe: "Output folder (default: src/a2a)" },
  targets: {
    type: "string",
    requiresArg: true,
    describe: "Comma-separated targets (default: all but store-*, schema, openapi and openrpc)",
  },
  templates: { type: "string", requiresArg: true, describe: "Folder with templates that replace ours" },
  runtime: {
    type: "string",
    requiresArg: true,
    describe: "Support modules: package, copy, a shared folder, or another package (default: copy)",
  },
  agent: { type: "string", requiresArg: true, describe: "Agent skeleton to create, or to merge new operations into" },
  aliases: { choices: ["all", "none"] as const, describe: "Deprecated aliases for old names (default: all)" },
  "drop-expired": { type: "boolean", describe: "Leave out aliases that the version may remove" },
  "import-extension": { choices: ["js", "ts", "none"] as const, describe: "How relative imports end (default: js)" },
  force: { type: "boolean", default: false, describe: "Overwrite files that were edited by hand" },
} as const;

const jsonOption = { json: { type: "boolean", default: false, describe: "Print one JSON document" } } as const;

const configOption = {
  config: {
    type: "string",
    requiresArg: true,
    describe: "Configuration file (default: a2a-codegen.config.json)",
  },
} as const;

/** Options of each command, in the order of its help. */
export const optionsOf = {
  generate: {
    ...outputOptions,
    spec: {
      ...outputOptions.spec,
      describe: "Version, path of a proto or JSON Schema, or all (default: as configured, or 1.0)",
    },
    ...jsonOption,
    ...configOption,
    check: { type: "boolean", default: false, describe: "Only check whether the output is up to date" },
    "dry-run": { type: "boolean", default: false, describe: "Only show what would change" },
    watch: { type: "boolean", default: false, describe: "Generate again whenever the input changes" },
  },
  init: {
    ...outputOptions,
    spec: { ...outputOptions.spec, describe: `${oneSpec} (default: 1.0)` },
    agent: { ...outputOptions.agent, describe: "Agent skeleton to create (default: src/agent.ts)" },
    aliases: { ...outputOptions.aliases, describe: "Deprecated aliases for old names (default: none)" },
    force: {
      ...outputOptions.force,
      describe: "Overwrite the configuration, and files that were edited by hand",
    },
    ...jsonOption,
    yes: { type: "boolean", alias: "y", default: false, describe: "Ask nothing" },
  },
  validate: {
    ...specOptions,
    ...jsonOption,
    strict: { type: "boolean", default: false, describe: "Canonical JSON only" },
    "max-bytes": { type: "number", requiresArg: true, describe: "Most bytes to read (default: 67108864)" },
    timeout: { type: "number", requiresArg: true, describe: "Seconds to wait for a URL (default: 30)" },
  },
  diff: {
    manifest: specOptions.manifest,
    ...jsonOption,
    format: { choices: ["text", "json", "md", "html"] as const, describe: "How to report (default: text)" },
    "fail-on": {
      choices: ["breaking", "breaking:source", "breaking:json", "breaking:protobuf"],
      describe: "Exit with 1 if there is such a change",
    },
  },
  eject: {
    ...jsonOption,
    ...configOption,
    back: { type: "boolean", default: false, describe: "Return to the package" },
    force: outputOptions.force,
  },
  audit: {
    ...jsonOption,
    ...configOption,
    out: { ...outputOptions.out, describe: "Output folder (default: as configured, or src/a2a)" },
    advisories: { type: "string", requiresArg: true, describe: "List of advisories (default: that of the package)" },
  },
  upgrade: {
    ...jsonOption,
    to: { type: "string", requiresArg: true, demandOption: true, describe: "Version, or path, to move to" },
    schema: specOptions.schema,
    manifest: specOptions.manifest,
    keep: {
      type: "boolean",
      default: false,
      describe: "Go on to speak the present version, by an adapter in the output",
    },
    write: {
      type: "boolean",
      default: false,
      describe: "Write the changes; without it, only show them",
    },
    force: {
      type: "boolean",
      default: false,
      describe: "Overwrite edited output and uncommitted changes",
    },
    diff: { type: "boolean", default: false, describe: "List all differences of the specifications, too" },
    ...configOption,
    tsconfig: { type: "string", requiresArg: true, describe: "TypeScript project (default: the nearest one)" },
  },
  inspect: {
    port: { type: "number", requiresArg: true, describe: "Port of the page on 127.0.0.1 (default: a free port)" },
    allow: {
      type: "string",
      requiresArg: true,
      describe: "Comma-separated URLs that the page may call without asking (default: none)",
    },
    open: { type: "boolean", describe: "Open a browser (default: in a terminal with a display)" },
  },
  list: jsonOption,
} as const;
