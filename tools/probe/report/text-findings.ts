import type { Result } from "../result.js";
import {
  evidenceOf,
  evidencePartsOf,
  shortened,
  type EvidencePart,
  type EvidenceParts,
} from "./evidence.js";
import { byLevel, factsOf, isAlike, type RuleGroup } from "./groups.js";
import { wrapped } from "./wrap.js";

/** Columns of the ids in the list of failed rules. */
const idColumns = 32;

/** Maximum length and number of lines of a body. */
const [maxBody, maxLines] = [300, 6];

/** Headers that say nothing about a failure; with a value, only if they have this value. */
const usual =
  /^(?:(?:accept-encoding|accept-language|connection|content-length|date|etag|keep-alive|server|transfer-encoding|user-agent|x-powered-by):|accept: application\/json$|content-type: application\/(?:a2a\+)?json\b)/;

/** Returns the list of failed rules: by level, each rule with the interfaces where it failed. */
export function failedRules(groups: readonly RuleGroup[]): string[] {
  if (groups.length === 0) return [];
  const rows = byLevel(groups).flatMap((section) => [
    `  ${section.level}`,
    ...section.groups.flatMap(({ id, lanes }) => {
      const hanging = " ".repeat(idColumns);
      const name = `    ${id}`;
      // A long id has a line of its own.
      if (name.length >= idColumns)
        return [...wrapped(id, "    "), ...wrapped(lanes.join(", "), hanging)];
      return wrapped(lanes.join(", "), name.padEnd(idColumns), hanging);
    }),
  ]);
  return ["", `Failed rules: ${groups.length}`, ...rows];
}

/**
 * Returns the entry of a failed rule: its failure on one interface, and what differs on the others.
 */
export function findingLines(group: RuleGroup, secrets: readonly string[]): string[] {
  const { id, title, lanes, first, others } = group;
  const evidence = lastPartsOf(first, secrets);
  return [
    "",
    ...wrapped(`${stateOf(first)} ${id} on ${lanes.join(", ")} (${factsOf(first)})`, ""),
    ...wrapped(title, "  "),
    ...wrapped(first.reason, "  "),
    ...(evidence === undefined
      ? []
      : [
          ...partLines("Request", evidence.request, first, "  "),
          ...partLines("Response", evidence.response, first, "  "),
        ]),
    ...others.flatMap((result) => differenceLines(result, first, evidence, secrets)),
  ];
}

/** Returns what differs from the first failure of the same rule. */
function differenceLines(
  result: Result,
  first: Result,
  evidence: EvidenceParts | undefined,
  secrets: readonly string[],
): string[] {
  const facts = factsOf(result) === factsOf(first) ? "" : ` (${factsOf(result)})`;
  const own = lastPartsOf(result, secrets);
  const name = `${result.lane}${facts}:`;
  if (isAlike(result.reason, first.reason)) {
    const call = own === undefined ? "" : `, ${own.request.start}`;
    return wrapped(`${name} the same${call}`, "  ", "    ");
  }
  const heading = wrapped(`${name} ${result.reason}`, "  ", "    ");
  if (own === undefined) return heading;
  const changed = (part: EvidencePart, before: EvidencePart | undefined): EvidencePart =>
    isAlike(part.body, before?.body) ? { ...part, body: undefined } : part;
  return [
    ...heading,
    ...partLines("Request", changed(own.request, evidence?.request), result, "    "),
    ...partLines("Response", changed(own.response, evidence?.response), result, "    "),
  ];
}

/** Returns a request or a response without usual headers, and with a short body. */
function partLines(
  name: string,
  { start, headers, body, note }: EvidencePart,
  { lane }: Result,
  indent: string,
): string[] {
  const version = `a2a-version: ${lane.split(" ").at(-1) ?? ""}`;
  const special = headers
    .map(([name, value]) => `${name}: ${value}`)
    .filter((line) => !usual.test(line) && line !== version);
  const lines = body === undefined ? [] : shortened(body, maxBody).split("\n");
  const content = lines.length > maxLines ? [...lines.slice(0, maxLines), "…"] : lines;
  return [
    `${indent}${name}: ${start}`.trimEnd(),
    ...[...special, ...content, ...(note === undefined ? [] : [note])].map(
      (line) => `${indent}  ${line}`,
    ),
  ];
}

/** Returns a failure with its whole request and response, and a command that repeats it. */
export function failureLines(result: Result, secrets: readonly string[]): string[] {
  const { id, lane, title, reason, replies } = result;
  // The other reports contain the earlier requests, too.
  const evidence = replies.map((reply) => evidenceOf(reply, { secrets })).at(-1);
  const block = (name: string, text: string): string[] => [
    `  ${name}:`,
    ...text.split("\n").map((line) => `    ${line}`),
  ];
  return [
    "",
    ...wrapped(`${stateOf(result)} ${id} on ${lane} (${factsOf(result)})`, ""),
    ...wrapped(title, "  "),
    ...wrapped(reason, "  "),
    ...(evidence === undefined
      ? []
      : [...block("Request", evidence.request), ...block("Response", evidence.response)]),
    ...(evidence?.curl === undefined ? [] : block("Repeat", evidence.curl)),
  ];
}

function lastPartsOf({ replies }: Result, secrets: readonly string[]): EvidenceParts | undefined {
  const reply = replies.at(-1);
  return reply === undefined ? undefined : evidencePartsOf(reply, { secrets });
}

function stateOf({ state }: Result): string {
  return state === "error" ? "ERROR" : "FAIL";
}
