import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isObject } from "../agents/findings.js";
import {
  probeInterfaces,
  reportOf,
  signatureStatus,
  type CardReport,
  type Finding,
  type PublicKey,
  type SignatureStatus,
} from "../agents/index.js";
import { clientSettings, grpcSecurity, loadCard, openAgent, type Run } from "./agent.js";
import { CliError, usage } from "./errors.js";
import { grpcFactories, isGrpc } from "./grpc-package.js";
import type { ValuesOf } from "../terminal/program.js";
import type { cardOptions } from "./options.js";
import { printCard } from "./render-card.js";

/** Options of `a2a card get`. */
export type CardArguments = ValuesOf<typeof cardOptions>;

/** Runs `a2a card get`. */
export async function cardCommand(run: Run, options: CardArguments): Promise<void> {
  const { output } = run;
  if (options.extended === true) return extendedCommand(run);
  const report = await loadCard(run);
  const status = await signatureStatus(report.raw, {
    keys: keysIn(options.trustedKeys, run.environment.cwd),
  });
  if (output.isJson) await output.json(report.raw);
  else await printCard(report, status, run);
  const isComplete = options.validate === true;
  await printFindings(report, run, isComplete);
  if (options.probe === true) await probe(report, run);
  failIfInvalid(report, status, options);
}

async function extendedCommand(run: Run): Promise<void> {
  const { client, report } = await openAgent(run);
  try {
    const raw = await client.getExtendedAgentCard({}, { signal: run.signal });
    if (run.output.isJson) return await run.output.json(raw);
    await printCard({ ...report, raw, card: raw }, await signatureStatus(raw), run);
  } finally {
    client.close();
  }
}

/**
 * Prints the findings. With JSON output, prints them to standard error, so that standard output
 * only contains the card.
 */
async function printFindings(
  { findings }: CardReport,
  { output }: Run,
  isComplete: boolean,
): Promise<void> {
  const shown = isComplete ? findings : findings.filter(({ severity }) => severity === "error");
  for (const finding of shown) {
    if (output.isJson || !isComplete) output.note(`${labelOf(finding)}: ${lineOf(finding)}`);
    else await output.field(labelOf(finding), lineOf(finding));
  }
  const hidden = findings.length - shown.length;
  if (hidden > 0 && !output.isJson) output.note(`${hidden} more: add --validate`);
  if (isComplete && findings.length === 0 && !output.isJson)
    await output.field("Valid", "nothing is wrong with the card");
}

function labelOf({ severity }: Finding): string {
  return severity.charAt(0).toUpperCase() + severity.slice(1);
}

function lineOf({ path, problem, hint }: Finding): string {
  const advice = hint === "" ? "" : ` (${hint})`;
  return `${path || "/"}: ${problem}${advice}`;
}

async function probe(report: CardReport, run: Run): Promise<void> {
  const { output, signal } = run;
  const settings = await clientSettings(run, report);
  const transports = report.interfaces.some(isGrpc) ? await grpcFactories(grpcSecurity(run)) : [];
  // Report again, because the transports determine which interfaces are supported.
  const known = reportOf(report.raw, report.url, { transports });
  const results = await probeInterfaces(known, { ...settings, transports, signal });
  for (const { target, state, detail, ms } of results) {
    const reason = detail === "" ? "" : `: ${detail}`;
    const line = `${target.binding} ${target.version} ${state} in ${ms} ms${reason}`;
    if (output.isJson) output.note(`Probe: ${line}`);
    else await output.field("Probe", line);
  }
}

function failIfInvalid(
  { card, findings }: CardReport,
  status: SignatureStatus,
  options: CardArguments,
): void {
  const isComplete = options.validate === true;
  const hasErrors = findings.some(({ severity }) => severity === "error");
  if (card === undefined || (isComplete && hasErrors)) {
    const hint = isComplete
      ? "Correct the errors above"
      : "`a2a card get --validate` lists all mistakes";
    throw new CliError("A2ACLI_ERR_CARD_INVALID", "The card is invalid", hint);
  }
  if (options.trustedKeys === undefined || status.state === "verified") return;
  const message = status.state === "absent" ? "The card has no signature" : status.detail;
  throw new CliError(
    "A2ACLI_ERR_CARD_INVALID",
    message,
    "Check the card and the keys of --trusted-keys",
  );
}

function keysIn(path: string | undefined, cwd: string): PublicKey[] {
  if (path === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(cwd, path), "utf8"));
  } catch {
    throw usage(
      `--trusted-keys: "${path}" cannot be read as JSON`,
      "Pass a file with a JWK or a JWK set",
    );
  }
  const list: unknown[] =
    isObject(value) && Array.isArray(value["keys"]) ? (value["keys"] as unknown[]) : [value];
  const keys = list.filter(
    (key): key is PublicKey => isObject(key) && typeof key["kty"] === "string",
  );
  if (keys.length === 0)
    throw usage(`"${path}" contains no key`, "Pass a file with a JWK or a JWK set");
  return keys;
}
