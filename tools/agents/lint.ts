import { discovery, protocol } from "../../generated/1.0/operations.js";
import { AgentCardSchema } from "../../generated/1.0/validators.js";
import {
  discovery as discovery0_3,
  protocol as protocol0_3,
} from "../../generated/1.0/versions/0.3/operations.js";
import { AgentCardSchema as AgentCardSchema0_3 } from "../../generated/1.0/versions/0.3/validators.js";
import { findCardProblems, type CardRules } from "a2a-codegen-runtime/internal/core";
import { check } from "a2a-codegen-runtime/internal/schema";
import { error, isObject, listAt, member, note, quoted, textAt, warning } from "./findings.js";
import type { Finding } from "./findings.js";
import { lintInterfaces } from "./lint-interfaces.js";
import { lintSecurity } from "./lint-security.js";

const current: CardRules = { protocol, discovery, type: AgentCardSchema };
const earlier: CardRules = {
  protocol: protocol0_3,
  discovery: discovery0_3,
  type: AgentCardSchema0_3,
};

/**
 * Maximum number of findings. A longer list is not useful, and a hostile card could have millions.
 */
const maxFindings = 200;

/**
 * Returns the findings about a card: differences from the schema of its version, and likely
 * mistakes. The most important findings come first.
 *
 * @param url - the URL of the card, for checks of its interfaces
 */
export function lintCard(card: unknown, url?: string): Finding[] {
  if (!isObject(card)) return [error([], "the card is not a JSON object", "check the URL")];
  const rules = isEarlier(card) ? earlier : current;
  const version = textAt(card, "protocolVersion");
  if (isEarlier(card) && version !== undefined && /^v?1(?:\.|$)/.test(version))
    return [
      error(
        ["supportedInterfaces"],
        `the card declares version ${quoted(version)}, but has the form of 0.3`,
        "list the interfaces in supportedInterfaces, or write the version 0.3.0",
      ),
    ];
  const issues = check(rules.type, card, "json").issues ?? [];
  const findings = [
    ...issues.map(({ path, expected, found }) => error(path, `expected ${expected}, got ${found}`)),
    ...findCardProblems(card, rules).map((problem): Finding => ({
      ...problem,
      severity: severityOf(problem.problem),
    })),
    ...lintInterfaces(card, url),
    ...lintSecurity(card),
    ...lintSkills(card),
    ...lintTexts(card),
    ...lintSignatures(card),
  ];
  const order = ["error", "warning", "note"];
  // Several checks may report the same mistake.
  const distinct = new Map(
    findings.map((finding) => [`${finding.path} ${finding.problem}`, finding]),
  );
  return [...distinct.values()]
    .sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity))
    .slice(0, maxFindings);
}

/**
 * Returns whether a card only has members of versions before 1.0. A card that also has 1.0 members
 * is a 1.0 card.
 */
export function isEarlier(card: unknown): boolean {
  return (
    member(card, discovery.interfaces.list ?? "") === undefined && textAt(card, "url") !== undefined
  );
}

/**
 * Returns the severity of a problem. A misspelled member is a warning, because only its value is
 * lost. Other problems are errors, because they make a part of the card unusable.
 */
function severityOf(problem: string): "error" | "warning" {
  return problem.startsWith("unknown member") ? "warning" : "error";
}

function lintSkills(card: unknown): Finding[] {
  const skills = listAt(card, "skills");
  if (Array.isArray(member(card, "skills")) && skills.length === 0)
    return [warning(["skills"], "the card lists no skill", "describe what callers can ask for")];
  const seen = new Set<string>();
  return skills.flatMap((skill, at) => {
    const id = textAt(skill, "id") ?? "";
    const isKnown = seen.has(id);
    seen.add(id);
    const empty = ["id", "name", "description"].filter((key) => textAt(skill, key) === "");
    return [
      ...(isKnown
        ? [error(["skills", at, "id"], `two skills have the id ${quoted(id)}`, "choose another id")]
        : []),
      ...empty.map((key) =>
        warning(["skills", at, key], "the text is empty", "describe the skill"),
      ),
      ...lintModes(skill, ["skills", at], ["inputModes", "outputModes"]),
    ];
  });
}

const openExtendedCard = note(
  ["capabilities", "extendedAgentCard"],
  "the extended card has no security scheme",
  "declare one",
);

function lintTexts(card: unknown): Finding[] {
  const empty = ["name", "description", "version"].filter(
    (key) => textAt(card, key)?.trim() === "",
  );
  const links: readonly [string, string | undefined][] = [
    ["documentationUrl", textAt(card, "documentationUrl")],
    ["iconUrl", textAt(card, "iconUrl")],
    ["provider/url", textAt(member(card, "provider"), "url")],
  ];
  const wrong = links.filter(
    ([, url]) => url !== undefined && !/^(?:https?:\/\/|data:image\/)/i.test(url),
  );
  const hasExtendedCard = member(member(card, "capabilities"), "extendedAgentCard") === true;
  const hasSchemes = isObject(member(card, "securitySchemes"));
  return [
    ...empty.map((key) => warning([key], "the text is empty")),
    ...wrong.map(([path, url = ""]) =>
      warning(path.split("/"), `${quoted(url)} is not a URL`, "begin it with https://"),
    ),
    ...lintModes(card, [], ["defaultInputModes", "defaultOutputModes"]),
    ...(hasExtendedCard && !hasSchemes ? [openExtendedCard] : []),
  ];
}

function lintModes(
  holder: unknown,
  path: readonly (string | number)[],
  keys: readonly string[],
): Finding[] {
  return keys.flatMap((key) =>
    listAt(holder, key).flatMap((mode, at) => {
      if (typeof mode !== "string" || /^[\w.+*-]+\/[\w.+*-]+(?:\s*;.*)?$/.test(mode)) return [];
      const hint =
        mode.toLowerCase() === "text" ? 'write "text/plain"' : 'write a type such as "text/plain"';
      return [warning([...path, key, at], `${quoted(mode)} is not a media type`, hint)];
    }),
  );
}

function lintSignatures(card: unknown): Finding[] {
  return listAt(card, "signatures").flatMap((signature, at) => {
    const head = textAt(signature, "protected");
    if (head === undefined || isJsonHeader(head)) return [];
    return [
      error(
        ["signatures", at, "protected"],
        "the header is not JSON in base64url",
        "sign the card again",
      ),
    ];
  });
}

function isJsonHeader(text: string): boolean {
  try {
    return isObject(JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/"))));
  } catch {
    return false;
  }
}
