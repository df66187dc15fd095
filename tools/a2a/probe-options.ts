import { sdkNames } from "../probe/sdks.js";

const repeated = { type: "string", array: true } as const;

/** Options of `probe` for which `a2a` has settings, which also apply to its other commands. */
export const ownProbeOptions = {
  header: {
    ...repeated,
    describe: "Header NAME:VALUE, such as a credential; the value may be env:NAME or @FILE",
  },
  verbose: {
    type: "boolean",
    default: false,
    describe: "Print each failure with its whole request and response",
  },
} as const;

/** Options of `probe` that check a client. */
export const clientProbeOptions = {
  client: {
    type: "boolean",
    default: false,
    describe: "Check a client: serve an agent to connect it to",
  },
  port: { type: "number", describe: "Port of that agent on 127.0.0.1 (default: a free port)" },
  count: { type: "number", describe: "End after this number of requests (default: at Ctrl+C)" },
} as const;

/** Formats of reports. */
export const reportFormats = ["text", "json", "junit", "html", "github", "badge"] as const;

/** Options of `probe`, which `a2a conformance` has, too. */
export const probeOptions = {
  suite: {
    ...repeated,
    describe: "File with test suites in the ACTS format, instead of the rules; may be repeated",
  },
  format: {
    choices: reportFormats,
    describe: "Format of the report; github prints annotations, badge an SVG (default: text)",
  },
  json: { type: "boolean", default: false, describe: "Print one JSON document: --format json" },
  junit: { type: "boolean", default: false, describe: "Print JUnit XML: --format junit" },
  html: { type: "boolean", default: false, describe: "Print an HTML page: --format html" },
  out: {
    ...repeated,
    describe: "File for the report, in the format of .html, .json, .svg or .xml; may be repeated",
  },
  "expected-failures": {
    ...repeated,
    describe: `File with known failures, or sdk:NAME with NAME one of ${sdkNames.join(", ")}`,
  },
  "allow-send": {
    type: "boolean",
    default: false,
    describe: "Allow checks that send messages and store webhooks",
  },
  message: { type: "string", describe: "Text of the messages (default: Hello)" },
  "fail-on": {
    choices: ["must", "should", "may"] as const,
    describe: "Least important level that fails (default: must)",
  },
  bearer: {
    type: "string",

    describe: "Bearer token: env:NAME, @FILE, - (standard input), or the token",
  },
  origin: { ...repeated, describe: "Another origin that may receive credentials" },
  variable: { ...repeated, describe: "Variable NAME=VALUE of the suites" },
  timeout: { type: "number", describe: "Time limit of a call in seconds (default: 10)" },
} as const;
