import { card, header, status, type Mutant } from "./mutant.js";

const schemes = (value: object) => card("securitySchemes", { broken: value });
const signed = (signature: object) => card("signatures", [signature]);
const protectedHeader = btoa(JSON.stringify({ alg: "ES256", kid: "one" })).replaceAll("=", "");

let requests = 0;

/** Mutants of the card. */
export const cardMutants: readonly Mutant[] = [
  { rule: "card-served", change: status(203) },
  { rule: "card-content-type", change: header("content-type", "text/plain") },
  { rule: "card-name", change: card("name", "") },
  { rule: "card-description", change: card("description", undefined) },
  { rule: "card-version", change: card("version", 1) },
  { rule: "card-interfaces", change: card("supportedInterfaces", []) },
  { rule: "card-interface-url", change: card("supportedInterfaces.0.url", "/a2a") },
  { rule: "card-interface-binding", change: card("supportedInterfaces.0.protocolBinding", "REST") },
  {
    rule: "card-interface-version",
    change: card("supportedInterfaces.0.protocolVersion", "latest"),
  },
  { rule: "card-interface-patch", change: card("supportedInterfaces.0.protocolVersion", "1.0.1") },
  {
    rule: "card-interface-unique",
    change: ({ body }) => {
      const { supportedInterfaces: list } = body as { supportedInterfaces: unknown[] };
      list.push(list[0]);
    },
  },
  {
    rule: "card-interface-tls",
    change: card("supportedInterfaces.1.url", "http://agent.example/"),
  },
  { rule: "card-main-url", agent: "earlier", change: card("preferredTransport", undefined) },
  { rule: "card-capabilities", change: card("capabilities", []) },
  { rule: "card-capability-types", change: card("capabilities.streaming", "yes") },
  { rule: "card-input-modes", change: card("defaultInputModes", ["text"]) },
  { rule: "card-output-modes", change: card("defaultOutputModes", []) },
  { rule: "card-skills", change: card("skills", undefined) },
  { rule: "card-skill-id", change: card("skills.0.id", "") },
  { rule: "card-skill-name", change: card("skills.0.name", undefined) },
  { rule: "card-skill-description", change: card("skills.0.description", "") },
  { rule: "card-skill-tags", change: card("skills.0.tags", []) },
  {
    rule: "card-skill-unique",
    change: ({ body }) => {
      const { skills } = body as { skills: unknown[] };
      skills.push(skills[0]);
    },
  },
  { rule: "card-skill-modes", change: card("skills.0.inputModes", ["image"]) },
  { rule: "card-provider", change: card("provider", { organization: "Example" }) },
  { rule: "card-documentation-url", change: card("documentationUrl", "docs") },
  { rule: "card-icon-url", change: card("iconUrl", "icon.png") },
  { rule: "card-camel-case", change: card("documentation_url", "https://a2a.example/") },
  { rule: "card-schema", change: card("capabilities.extensions", {}) },
  { rule: "card-extensions", change: card("capabilities.extensions", [{ uri: "one" }]) },
  {
    rule: "card-public",
    change: ({ body }) => {
      (body as Record<string, unknown>)["description"] = `Request ${(requests += 1)}`;
    },
  },
  { rule: "card-cache-control", change: header("cache-control", undefined) },
  { rule: "card-etag", change: header("etag", undefined) },
  {
    rule: "card-etag-stable",
    change: ({ headers }) => {
      headers["etag"] = `"${(requests += 1)}"`;
    },
  },
  { rule: "card-not-modified", change: header("etag", '"other"') },
  { rule: "card-scheme-kind", change: schemes({ unknownSecurityScheme: {} }) },
  {
    rule: "card-scheme-declared",
    change: card("securityRequirements", [{ schemes: { other: { list: [] } } }]),
  },
  { rule: "card-scheme-http", change: schemes({ httpAuthSecurityScheme: {} }) },
  {
    rule: "card-scheme-key",
    change: schemes({ apiKeySecurityScheme: { name: "key", location: "body" } }),
  },
  {
    rule: "card-scheme-oauth",
    change: schemes({
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "/token" } } },
    }),
  },
  {
    rule: "card-scheme-openid",
    change: schemes({ openIdConnectSecurityScheme: { openIdConnectUrl: "login" } }),
  },
  { rule: "card-signature-header", change: signed({ protected: "e30", signature: "AA" }) },
  {
    rule: "card-signature-value",
    change: signed({ protected: protectedHeader, signature: "not base64" }),
  },
];
