import type { AgentCard } from "../../kit/model.js";
import { isObject } from "../../runtime/base/json.js";
import type { DiscoveryFacts, Operation, ProtocolFacts } from "../../runtime/protocol/operation.js";
import { memberAt, withMember } from "../../runtime/protocol/requirements.js";
import { isSigned, unsigned } from "../../runtime/server/versions.js";

/** Facts about the cards of a version. */
export interface GatewayCardFacts {
  readonly protocol: ProtocolFacts;
  readonly discovery: DiscoveryFacts;
  /** The key of the signatures of a card. Absent if cards have no signatures. */
  readonly signatures?: string | undefined;
}

/** Changes that a gateway makes to the card of its upstream. */
export interface CardChanges {
  /** URL of the gateway, for its interfaces. */
  readonly url: string;
  /** The keys that lead to the capability for webhooks. */
  readonly webhooks: readonly string[] | undefined;
  /** Whether the gateway passes on webhooks. */
  readonly relays: boolean;
}

/**
 * Returns the card of an upstream with the interfaces of a gateway. The card has no signatures,
 * because they cover the addresses.
 */
export function gatewayCard(
  card: object,
  { protocol, discovery, signatures }: GatewayCardFacts,
  { url, webhooks, relays }: CardChanges,
): object {
  const { list = "interfaces", ...keys } = discovery.interfaces;
  const { jsonRpc, http } = protocol.bindings;
  const interfaces = [jsonRpc, http].map((binding) => ({
    [keys.url ?? "url"]: url,
    [keys.binding ?? "binding"]: binding,
    ...(keys.version !== undefined && { [keys.version]: protocol.version }),
  }));
  const changed = { ...unsigned(card, { discovery, signatures }), [list]: interfaces };
  const isLost = webhooks !== undefined && !relays && memberAt(card, webhooks) === true;
  return isLost ? (withMember(changed, webhooks, false) as object) : changed;
}

/** Returns the keys that lead to the capability for webhooks, if the version has webhooks. */
export function webhookCapability(operations: readonly Operation[]): readonly string[] | undefined {
  const found = operations.flatMap(({ fieldRequires = [], urls = [] }) =>
    fieldRequires.filter(({ path }) => urls.some((url) => isBelow(url, path))),
  );
  return found.at(0)?.capability;
}

function isBelow(path: readonly string[], parent: readonly string[]): boolean {
  return path.length > parent.length && parent.every((key, index) => path[index] === key);
}

/** Returns the names of the headers with credentials that a card declares, in lower case. */
export function credentialHeaders({ securitySchemes = {} }: AgentCard): string[] {
  const keys = Object.values(securitySchemes).flatMap(({ apiKeySecurityScheme: key }) =>
    key?.location === "header" ? [key.name.toLowerCase()] : [],
  );
  return [...new Set(["authorization", ...keys])];
}

/** Facts for a {@link gatewayReport}. */
export interface ReportFacts extends GatewayCardFacts {
  readonly operations: readonly Operation[];
  /** Version of the calls to the upstream. */
  readonly version: string;
  /** Returns whether the upstream's version has an operation. */
  readonly has: (operation: string) => boolean;
  readonly webhooks: readonly string[] | undefined;
  readonly relays: boolean;
  /** Caller versions whose webhooks receive tasks instead of events. */
  readonly taskVersions: readonly string[];
  /** Whether the caller's credentials are passed on. */
  readonly passesCredentials: boolean;
}

/** Returns sentences about what a gateway does not carry for its upstream. */
export function gatewayReport(before: AgentCard, after: object, facts: ReportFacts): string[] {
  return [
    ...webhookLosses(before, facts),
    ...operationLosses(facts),
    ...signatureLosses(before, after, facts),
    ...bindingLosses(before, facts),
    ...(facts.passesCredentials ? credentialLosses(before) : []),
  ];
}

function webhookLosses(card: AgentCard, { webhooks, relays, taskVersions }: ReportFacts): string[] {
  if (webhooks === undefined || memberAt(card, webhooks) !== true) return [];
  if (!relays)
    return ["Webhooks are not passed on, although the upstream supports them: set `push.secret`."];
  return taskVersions.map(
    (version) =>
      `Webhooks of callers in version ${version} receive the task as it is when the gateway reads ` +
      "it, with the status of the event.",
  );
}

function operationLosses({ operations, version, has }: ReportFacts): string[] {
  const missing = operations.filter(({ name }) => !has(name)).map(({ name }) => name);
  if (missing.length === 0) return [];
  return [
    `Version ${version} of the upstream does not have ${missing.join(", ")}: callers receive the ` +
      "error for an unsupported operation.",
  ];
}

function signatureLosses(before: object, after: object, facts: ReportFacts): string[] {
  if (!isSigned(before, facts) || isSigned(after, facts)) return [];
  return [
    "The signatures of the card are removed, because they cover the addresses: sign the card again " +
      "in `card`.",
  ];
}

function bindingLosses(card: object, { discovery, protocol }: ReportFacts): string[] {
  const { list, binding: key } = discovery.interfaces;
  const found: unknown = list === undefined ? undefined : Reflect.get(card, list);
  if (!Array.isArray(found) || key === undefined) return [];
  const { jsonRpc, http } = protocol.bindings;
  const names = found.flatMap((item: unknown) => {
    const name = isObject(item) ? item[key] : undefined;
    return typeof name === "string" && name !== jsonRpc && name !== http ? [name] : [];
  });
  return [...new Set(names)].map(
    (name) => `Callers cannot use ${name}, which the upstream serves: serve \`agent\` over it.`,
  );
}

function credentialLosses({ securitySchemes = {} }: AgentCard): string[] {
  return Object.entries(securitySchemes).flatMap(([name, scheme]) => {
    if (scheme.mtlsSecurityScheme !== undefined)
      return [`The client certificates of callers (${name}) end at the gateway.`];
    const { location } = scheme.apiKeySecurityScheme ?? {};
    if (location === undefined || location === "header") return [];
    return [`API keys in the ${location} (${name}) are not passed on: send them in \`headers\`.`];
  });
}
