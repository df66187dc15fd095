import type { AgentCard, CardReport, SignatureStatus } from "../agents/index.js";
import type { Run } from "./agent.js";
import { hasGrpc, isGrpc } from "./grpc-package.js";

/** Prints a card as text. */
export async function printCard(
  report: CardReport,
  status: SignatureStatus,
  { output, settings }: Run,
): Promise<void> {
  const { card, url, version, interfaces } = report;
  await output.field("Card", url);
  await output.field("Format", `A2A ${version}`);
  for (const target of interfaces) await output.field("Interface", interfaceText(target));
  if (card === undefined) return output.block("Raw", JSON.stringify(report.raw, null, 2));
  await output.field("Name", `${card.name} ${card.version}`);
  await output.field("Description", card.description);
  await output.field(
    "Provider",
    card.provider && `${card.provider.organization} (${card.provider.url})`,
  );
  await output.field("Documentation", card.documentationUrl);
  await output.field("Capabilities", capabilitiesOf(card).join(", ") || "none");
  for (const { uri = "?", required } of card.capabilities.extensions ?? [])
    await output.field("Extension", required === true ? `${uri} (required)` : uri);
  await output.field("Input", card.defaultInputModes.join(", "));
  await output.field("Output", card.defaultOutputModes.join(", "));
  for (const [name, scheme] of Object.entries(card.securitySchemes ?? {}))
    await output.field("Security-Scheme", `${name}: ${schemeOf(scheme)}`);
  await output.field("Requires", requirementsOf(card));
  for (const { id, name, description, examples = [] } of card.skills) {
    await output.field("Skill", `${name} (${id}): ${description}`);
    if (settings.isSet("verbose"))
      for (const example of examples) await output.field("Example", example);
  }
  await output.field("Signature", signatureOf(status));
}

function interfaceText(target: CardReport["interfaces"][number]): string {
  const { binding, version, url, tenant, isSupported } = target;
  const isCallable = isSupported || (isGrpc(target) && hasGrpc());
  const supportNote = binding === "GRPC" ? "needs @grpc/grpc-js" : "not supported";
  const remarks = [
    ...(tenant === undefined ? [] : [`tenant ${tenant}`]),
    ...(isCallable ? [] : [supportNote]),
  ];
  const suffix = remarks.length === 0 ? "" : ` (${remarks.join(", ")})`;
  return `${binding} ${version} at ${url}${suffix}`;
}

function capabilitiesOf({ capabilities }: AgentCard): string[] {
  const { streaming, pushNotifications, extendedAgentCard } = capabilities;
  return [
    ...(streaming === true ? ["streaming"] : []),
    ...(pushNotifications === true ? ["push notifications"] : []),
    ...(extendedAgentCard === true ? ["extended card"] : []),
  ];
}

type Scheme = NonNullable<AgentCard["securitySchemes"]>[string];

function schemeOf(scheme: Scheme): string {
  const {
    apiKeySecurityScheme: key,
    httpAuthSecurityScheme: http,
    openIdConnectSecurityScheme: openId,
  } = scheme;
  if (key !== undefined) return `API key in ${key.location} "${key.name}"`;
  if (http !== undefined) return `HTTP ${http.scheme}`;
  if (openId !== undefined) return `OpenID Connect at ${openId.openIdConnectUrl}`;
  if (scheme.mtlsSecurityScheme !== undefined) return "mutual TLS";
  return flowsOf(scheme.oauth2SecurityScheme);
}

/**
 * Returns the flows of an OAuth scheme. `undefined` represents a scheme that only later versions
 * define.
 */
function flowsOf(scheme: { readonly flows?: object } | undefined): string {
  return scheme === undefined
    ? "unknown kind"
    : `OAuth 2 (${Object.keys(scheme.flows ?? {}).join(", ")})`;
}

/** Returns the requirements. A caller must satisfy one of them. */
function requirementsOf({ securityRequirements = [] }: AgentCard): string | undefined {
  const texts = securityRequirements.map(({ schemes = {} }) =>
    Object.entries(schemes)
      .map(([name, { list = [] }]) => (list.length === 0 ? name : `${name} [${list.join(" ")}]`))
      .join(" and "),
  );
  return texts.length === 0 ? undefined : texts.map((text) => text || "nothing").join(", or ");
}

function signatureOf({ state, signers, detail }: SignatureStatus): string {
  if (state === "absent") return "absent";
  const named = signers.map(({ alg, kid }) => `${alg}, key ${kid}`).join("; ");
  if (state === "verified") return `verified (key ${detail})`;
  return state === "unverified"
    ? `unverified: add --trusted-keys (${named})`
    : `INVALID: ${detail}`;
}
