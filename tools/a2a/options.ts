import type { OptionTable } from "../terminal/program.js";
import { ownProbeOptions, probeOptions } from "./probe-options.js";

const text = { type: "string" } as const;
const repeated = { type: "string", array: true } as const;
const flag = { type: "boolean" } as const;

/** Returns options that help displays under a heading. */
function grouped<const Table extends OptionTable>(group: string, table: Table): Table {
  const entries = Object.entries(table).map(([name, option]) => [name, { ...option, group }]);
  return Object.fromEntries(entries) as Table;
}

/** Options of all commands that call an agent. Their defaults are in `settings.ts`. */
export const common = grouped("Options for all commands that call an agent:", {
  "agent-card": {
    ...text,
    alias: "a",
    describe: "The agent: a host, the URL of its card, or a file",
  },
  output: {
    ...text,
    alias: "o",
    choices: ["text", "json"],
    defaultDescription: "text",
    describe: "Format of the result",
  },
  transport: {
    ...repeated,
    describe: "Preferred binding; repeat the option to add further bindings",
    defaultDescription: "card order",
  },
  "a2a-version": {
    ...text,
    describe: "Protocol version",
    defaultDescription: "1.0, or the version of the card",
  },
  bearer: {
    ...text,
    describe:
      "Bearer token: env:NAME, @FILE, - (standard input), or the token, which `ps` may show",
  },
  "api-key": { ...text, describe: "API key, given like --bearer" },
  "oauth-client-id": {
    ...text,
    describe: "OAuth client; A2ACLI_OAUTH_CLIENT_SECRET has its secret",
  },
  "oauth-issuer": { ...text, describe: "Origin of the OAuth server that may get the secret" },
  "svc-param": {
    ...repeated,
    alias: "header",
    describe: "Service parameter (HTTP header or gRPC metadata) NAME:VALUE",
  },
  extension: {
    ...repeated,
    describe: "URI of an extension to request; repeat the option to request several",
  },
  origin: { ...repeated, describe: "Another origin that may receive credentials" },
  timeout: {
    ...text,
    describe: "Time limit, such as 30s or 5m; 0 for none",
    defaultDescription: "10m",
  },
  "max-bytes": {
    ...text,
    describe: "Maximum number of bytes of all responses",
    defaultDescription: "67108864",
  },
  config: { ...text, describe: "File with settings, instead of the nearest .env" },
  cert: { ...text, describe: "File with a client certificate in PEM, for mutual TLS" },
  key: {
    ...text,
    describe: "File with the key of --cert; A2ACLI_KEY_PASSPHRASE has its passphrase",
  },
  cacert: { ...text, describe: "File with certificates of further authorities in PEM" },
  lenient: { ...flag, describe: "Accept responses that are invalid" },
  insecure: { ...flag, describe: "Do not verify TLS certificates (for development)" },
  verbose: { ...flag, describe: "Print more details of cards, tasks and messages" },
  debug: { ...flag, describe: "Print requests and responses to standard error" },
});

const interval = {
  "poll-interval": { ...text, describe: "Time between polls", defaultDescription: "2s" },
} as const;
const stream = {
  stream: { ...flag, describe: "Print events as they arrive; with -o json as JSON Lines" },
} as const;
const context = {
  "context-id": { ...text, describe: "Context of the task, assigned by the agent" },
} as const;

const save = {
  save: { ...text, describe: "File to save the conversation to, for `a2a replay`" },
} as const;

/** Options of `replay`. */
export const replayOptions = {
  events: { ...flag, describe: "Compare each event, and not only the result of each message" },
  save: { ...text, describe: "File to save the new conversation to" },
} satisfies OptionTable;

/** Options of `send`. */
export const sendOptions = {
  text: { ...repeated, describe: "A text part" },
  file: { ...repeated, describe: "A file part: a path, or a URL that the agent fetches" },
  data: { ...repeated, describe: "A data part: a JSON file, or - for standard input" },
  "media-type": { ...repeated, describe: "Media type of the part before it" },
  "task-id": { ...text, describe: "Task to continue" },
  ...context,
  metadata: { ...text, describe: "Metadata of the message, as a JSON object" },
  async: { ...flag, alias: "return-immediately", describe: "Do not wait for the task" },
  wait: { ...flag, describe: "Wait until the task ends or pauses (the default)" },
  ...save,
  ...interval,
  ...stream,
} satisfies OptionTable;

/** Options of `chat`. */
export const chatOptions = {
  "task-id": { ...text, describe: "Task to continue" },
  ...context,
  ...save,
  ...interval,
  ...stream,
} satisfies OptionTable;

export const cardOptions = {
  validate: { ...flag, describe: "List all mistakes in the card" },
  probe: { ...flag, describe: "Call every interface of the card" },
  extended: { ...flag, describe: "Fetch the card for signed-in callers" },
  "trusted-keys": {
    ...text,
    describe: "File with public keys (JWK or JWK set) for the signatures of the card",
  },
} satisfies OptionTable;

export const getOptions = {
  history: { type: "number", describe: "Number of messages from the history to display" },
  wait: { ...flag, alias: "watch", describe: "Wait until the task ends or pauses" },
  ...interval,
} satisfies OptionTable;

export const listOptions = {
  ...context,
  status: { ...text, describe: "State of the tasks, such as WORKING" },
  "page-size": { type: "number", describe: "Maximum number of tasks on a page" },
  "page-token": { ...text, describe: "Page token from the previous page" },
  ...stream,
} satisfies OptionTable;

export const subscribeOptions = { ...interval, ...stream } satisfies OptionTable;

export const downloadOptions = {
  dir: { ...text, describe: "Folder to write to", defaultDescription: "." },
  force: { ...flag, describe: "Overwrite files" },
} satisfies OptionTable;

export const pushOptions = {
  url: { ...text, demandOption: true, describe: "URL of the webhook" },
  token: { ...text, describe: "Token that the agent sends with each event, given like --bearer" },
  id: { ...text, describe: "Id of the configuration" },
} satisfies OptionTable;

export const loginOptions = {
  scheme: {
    ...text,
    describe: "Name of the scheme in the card",
    defaultDescription: "the first required scheme",
  },
  flow: {
    ...text,
    choices: ["code", "device", "client-credentials"] as const,
    describe: "Sign in with a browser, or with a code on another device",
    defaultDescription: "by the card",
  },
  scope: { ...repeated, describe: "Scope to request, in addition to the scopes of the card" },
  browser: { ...flag, describe: "Open a browser", defaultDescription: "if a display is available" },
} satisfies OptionTable;

export const logoutOptions = {
  all: { ...flag, describe: "Delete and revoke the tokens for all agents" },
} satisfies OptionTable;

/**
 * Options of `conformance`: the options of the probe, and the settings that identify the agent and
 * the caller.
 */
export const conformanceOptions = {
  "agent-card": common["agent-card"],
  output: common.output,
  ...probeOptions,
  "svc-param": { ...ownProbeOptions.header, alias: "header" },
  extension: common.extension,
  verbose: { ...common.verbose, describe: ownProbeOptions.verbose.describe },
  config: common.config,
} satisfies OptionTable;

/** Options of `demo-server`. */
export const demoOptions = {
  output: common.output,
  port: { type: "number", describe: "Port on 127.0.0.1", defaultDescription: "a free port" },
} satisfies OptionTable;

export const listenOptions = {
  output: common.output,
  port: { type: "number", describe: "Port on 127.0.0.1", defaultDescription: "a free port" },
  token: {
    ...text,
    describe: "Token that agents must send, given like --bearer",
    defaultDescription: "random",
  },
  count: { type: "number", describe: "End after this number of events" },
} satisfies OptionTable;
