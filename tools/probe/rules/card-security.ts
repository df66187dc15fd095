import { entriesAt, isObject, member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import type { CardRule, Outcome } from "../rule.js";
import type { CardSession } from "../card-session.js";
import { each, first, text, unless } from "./expect.js";

/** A security scheme in the form of any version. */
interface Scheme {
  readonly name: string;
  /** `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`; empty if it is unknown. */
  readonly kind: string;
  readonly value: unknown;
}

const kinds: Readonly<Record<string, string>> = {
  apiKeySecurityScheme: "apiKey",
  httpAuthSecurityScheme: "http",
  oauth2SecurityScheme: "oauth2",
  openIdConnectSecurityScheme: "openIdConnect",
  mtlsSecurityScheme: "mutualTLS",
};

function schemesOf({ raw, isEarlier }: CardSession): Scheme[] {
  return entriesAt(raw, "securitySchemes").map(([name, scheme]) => {
    if (isEarlier) return { name, kind: textAt(scheme, "type") ?? "", value: scheme };
    const [key = "", value] = isObject(scheme) ? (Object.entries(scheme)[0] ?? []) : [];
    return { name, kind: kinds[key] ?? "", value };
  });
}

/** Checks each scheme of a kind. */
function schemes(card: CardSession, kind: string, check: (scheme: Scheme) => Outcome): Outcome {
  return first(schemesOf(card).map((scheme) => (scheme.kind === kind ? check(scheme) : undefined)));
}

/** Names of the schemes that a requirement lists, in the form of any version. */
function requiredIn(requirement: unknown): string[] {
  const listed = member(requirement, "schemes");
  const names = isObject(listed) ? listed : requirement;
  return isObject(names) ? Object.keys(names) : [];
}

function absolute(value: unknown, name: string): Outcome {
  return unless(
    typeof value === "string" && URL.canParse(value),
    () => `${name} must be an absolute URL, got ${short(value)}`,
  );
}

/** URLs that each OAuth flow requires. */
const flowUrls: Readonly<Record<string, readonly string[]>> = {
  authorizationCode: ["authorizationUrl", "tokenUrl"],
  clientCredentials: ["tokenUrl"],
  deviceCode: ["deviceAuthorizationUrl", "tokenUrl"],
  implicit: ["authorizationUrl"],
  password: ["tokenUrl"],
};

/** Rules for the security and the signatures of a card. */
export const cardSecurityRules: readonly CardRule[] = [
  {
    id: "card-scheme-kind",
    level: "must",
    section: "4.5.1",
    earlier: "5.5.3",
    title: "Each security scheme has exactly one known kind",
    check: (card) => {
      const names = card.isEarlier ? Object.values(kinds) : Object.keys(kinds);
      const kindsIn = (scheme: unknown): string[] =>
        card.isEarlier
          ? [textAt(scheme, "type") ?? ""]
          : isObject(scheme)
            ? Object.keys(scheme)
            : [];
      return first(
        entriesAt(card.raw, "securitySchemes").map(([name, scheme]) => {
          const found = kindsIn(scheme).filter((kind) => names.includes(kind));
          return unless(
            found.length === 1,
            () => `securitySchemes.${name} must have exactly one kind, got ${short(scheme)}`,
          );
        }),
      );
    },
  },
  {
    id: "card-scheme-declared",
    level: "must",
    section: "7.3",
    earlier: "5.5.3",
    title: "Security requirements only contain declared security schemes",
    check: (card) => {
      const declared = schemesOf(card).map(({ name }) => name);
      const lists = [...card.list("securityRequirements"), ...card.list("security")];
      const unknown = lists.flatMap(requiredIn).find((name) => !declared.includes(name));
      return unknown === undefined
        ? undefined
        : `the required scheme ${short(unknown)} is not in securitySchemes`;
    },
  },
  {
    id: "card-scheme-http",
    level: "must",
    section: "4.5.3",
    earlier: "5.5.3",
    title: "A security scheme for HTTP authentication has a name",
    check: (card) =>
      schemes(card, "http", ({ name, value }) =>
        text(member(value, "scheme"), `securitySchemes.${name}.scheme`),
      ),
  },
  {
    id: "card-scheme-key",
    level: "must",
    section: "4.5.2",
    earlier: "5.5.3",
    title: "An API key has a name and a location",
    check: (card) =>
      schemes(card, "apiKey", ({ name, value }) => {
        const location = member(value, card.isEarlier ? "in" : "location");
        const isKnown =
          typeof location === "string" && ["header", "query", "cookie"].includes(location);
        return (
          text(member(value, "name"), `securitySchemes.${name}.name`) ??
          unless(
            isKnown,
            () => `the location of ${name} must be header, query or cookie, got ${short(location)}`,
          )
        );
      }),
  },
  {
    id: "card-scheme-oauth",
    level: "must",
    section: "4.5.4",
    earlier: "5.5.3",
    title: "An OAuth scheme has flows with their URLs",
    check: (card) =>
      schemes(card, "oauth2", ({ name, value }) => {
        const flows = entriesAt(value, "flows").filter(([flow]) => Object.hasOwn(flowUrls, flow));
        const urls = flows.flatMap(([flow, facts]) =>
          (flowUrls[flow] ?? []).map((key) =>
            absolute(member(facts, key), `${name}.flows.${flow}.${key}`),
          ),
        );
        return (
          unless(flows.length > 0, () => `securitySchemes.${name} has no OAuth flow`) ?? first(urls)
        );
      }),
  },
  {
    id: "card-scheme-openid",
    level: "must",
    section: "4.5.5",
    earlier: "5.5.3",
    title: "An OpenID Connect scheme has a URL",
    check: (card) =>
      schemes(card, "openIdConnect", ({ name, value }) =>
        absolute(member(value, "openIdConnectUrl"), `securitySchemes.${name}.openIdConnectUrl`),
      ),
  },
  {
    id: "card-signature-header",
    level: "must",
    section: "8.4.2",
    earlier: "5.5.6",
    title: "A signature has a protected header with an algorithm and a key id",
    check: (card) =>
      each(card.list("signatures"), "signatures", (value, name) => {
        const header = decoded(textAt(value, "protected") ?? "");
        return first([
          text(member(header, "alg"), `alg of ${name}.protected`),
          text(member(header, "kid"), `kid of ${name}.protected`),
        ]);
      }),
  },
  {
    id: "card-signature-value",
    level: "must",
    section: "8.4.2",
    earlier: "5.5.6",
    title: "A signature is encoded as base64url",
    check: (card) =>
      each(card.list("signatures"), "signatures", (value, name) => {
        const signature = textAt(value, "signature") ?? "";
        return unless(
          /^[\w-]+$/.test(signature),
          () => `${name}.signature must be base64url, got ${short(signature)}`,
        );
      }),
  },
];

function decoded(text: string): unknown {
  try {
    return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return undefined;
  }
}
