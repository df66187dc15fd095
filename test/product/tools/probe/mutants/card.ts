import { card, header, mutantsOf, status } from "./mutant.js";

const schemes = (value: object) => card("securitySchemes", { broken: value });
const signed = (signature: object) => card("signatures", [signature]);
const protectedHeader = btoa(JSON.stringify({ alg: "ES256", kid: "one" })).replaceAll("=", "");

let requests = 0;

/** Mutants of the card. */
export const cardMutants = mutantsOf({
  "card-served": status(203),
  "card-content-type": header("content-type", "text/plain"),
  "card-name": card("name", ""),
  "card-description": card("description", undefined),
  "card-version": card("version", 1),
  "card-interfaces": card("supportedInterfaces", []),
  "card-interface-url": card("supportedInterfaces.0.url", "/a2a"),
  "card-interface-binding": card("supportedInterfaces.0.protocolBinding", "REST"),
  "card-interface-version": card("supportedInterfaces.0.protocolVersion", "latest"),
  "card-interface-patch": card("supportedInterfaces.0.protocolVersion", "1.0.1"),
  "card-interface-unique": ({ body }) => {
    const { supportedInterfaces: list } = body as { supportedInterfaces: unknown[] };
    list.push(list[0]);
  },
  "card-interface-tls": card("supportedInterfaces.1.url", "http://agent.example/"),
  "card-main-url": { agent: "earlier", change: card("preferredTransport", undefined) },
  "card-capabilities": card("capabilities", []),
  "card-capability-types": card("capabilities.streaming", "yes"),
  "card-input-modes": card("defaultInputModes", ["text"]),
  "card-output-modes": card("defaultOutputModes", []),
  "card-skills": card("skills", undefined),
  "card-skill-id": card("skills.0.id", ""),
  "card-skill-name": card("skills.0.name", undefined),
  "card-skill-description": card("skills.0.description", ""),
  "card-skill-tags": card("skills.0.tags", []),
  "card-skill-unique": ({ body }) => {
    const { skills } = body as { skills: unknown[] };
    skills.push(skills[0]);
  },
  "card-skill-modes": card("skills.0.inputModes", ["image"]),
  "card-provider": card("provider", { organization: "Example" }),
  "card-documentation-url": card("documentationUrl", "docs"),
  "card-icon-url": card("iconUrl", "icon.png"),
  "card-camel-case": card("documentation_url", "https://a2a.example/"),
  "card-schema": card("capabilities.extensions", {}),
  "card-extensions": card("capabilities.extensions", [{ uri: "one" }]),
  "card-public": ({ body }) => {
    (body as Record<string, unknown>)["description"] = `Request ${(requests += 1)}`;
  },
  "card-cache-control": header("cache-control", undefined),
  "card-etag": header("etag", undefined),
  "card-etag-stable": ({ headers }) => {
    headers["etag"] = `"${(requests += 1)}"`;
  },
  "card-not-modified": header("etag", '"other"'),
  "card-scheme-kind": schemes({ unknownSecurityScheme: {} }),
  "card-scheme-declared": card("securityRequirements", [{ schemes: { other: { list: [] } } }]),
  "card-scheme-http": schemes({ httpAuthSecurityScheme: {} }),
  "card-scheme-key": schemes({ apiKeySecurityScheme: { name: "key", location: "body" } }),
  "card-scheme-oauth": schemes({
    oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "/token" } } },
  }),
  "card-scheme-openid": schemes({ openIdConnectSecurityScheme: { openIdConnectUrl: "login" } }),
  "card-signature-header": signed({ protected: "e30", signature: "AA" }),
  "card-signature-value": signed({ protected: protectedHeader, signature: "not base64" }),
});
