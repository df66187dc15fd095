import { entriesAt, isObject, member, textAt } from "../../agents/findings.js";
import { short } from "../reply.js";
import type { CardRule, Outcome } from "../rule.js";
import type { CardSession } from "../card-session.js";
import { firstProblemIn, firstProblem, problemUnlessText, problemUnless } from "./expect.js";

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
    // Since 1.0, the kind is the key of the only member.
    const [key = "", value] = isObject(scheme) ? (Object.entries(scheme)[0] ?? []) : [];
    return { name, kind: kinds[key] ?? "", value };
  });
}

/** Checks each scheme of a kind. */
function firstProblemInSchemes(
  card: CardSession,
  kind: string,
  check: (scheme: Scheme) => Outcome,
): Outcome {
  return firstProblem(
    schemesOf(card).map((scheme) => (scheme.kind === kind ? check(scheme) : undefined)),
  );
}

/** Names of the schemes that a requirement lists, in the form of any version. */
function requiredIn(requirement: unknown): string[] {
  const listed = member(requirement, "schemes");
  const names = isObject(listed) ? listed : requirement;
  return isObject(names) ? Object.keys(names) : [];
}

function problemUnlessUrl(value: unknown, name: string): Outcome {
  return problemUnless(
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
      const kindsIn = (scheme: unknown): string[] => {
        if (card.isEarlier) return [textAt(scheme, "type") ?? ""];
        return isObject(scheme) ? Object.keys(scheme) : [];
      };
      return firstProblem(
        entriesAt(card.raw, "securitySchemes").map(([name, scheme]) => {
          const found = kindsIn(scheme).filter((kind) => names.includes(kind));
          return problemUnless(
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
      firstProblemInSchemes(card, "http", ({ name, value }) =>
        problemUnlessText(member(value, "scheme"), `securitySchemes.${name}.scheme`),
      ),
  },
  {
    id: "card-scheme-key",
    level: "must",
    section: "4.5.2",
    earlier: "5.5.3",
    title: "An API key has a name and a location",
    check: (card) =>
      firstProblemInSchemes(card, "apiKey", ({ name, value }) => {
        const location = member(value, card.isEarlier ? "in" : "location");
        const isKnown =
          typeof location === "string" && ["header", "query", "cookie"].includes(location);
        return (
          problemUnlessText(member(value, "name"), `securitySchemes.${name}.name`) ??
          problemUnless(
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
      firstProblemInSchemes(card, "oauth2", ({ name, value }) => {
        const flows = entriesAt(value, "flows").filter(([flow]) => Object.hasOwn(flowUrls, flow));
        const urls = flows.flatMap(([flow, facts]) =>
          (flowUrls[flow] ?? []).map((key) =>
            problemUnlessUrl(member(facts, key), `${name}.flows.${flow}.${key}`),
          ),
        );
        return (
          problemUnless(flows.length > 0, () => `securitySchemes.${name} has no OAuth flow`) ??
          firstProblem(urls)
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
      firstProblemInSchemes(card, "openIdConnect", ({ name, value }) =>
        problemUnlessUrl(
          member(value, "openIdConnectUrl"),
          `securitySchemes.${name}.openIdConnectUrl`,
        ),
      ),
  },
  {
    id: "card-signature-header",
    level: "must",
    section: "8.4.2",
    earlier: "5.5.6",
    title: "A signature has a protected header with an algorithm and a key id",
    check: (card) =>
      firstProblemIn(card.list("signatures"), "signatures", (value, name) => {
        const header = decoded(textAt(value, "protected") ?? "");
        return firstProblem([
          problemUnlessText(member(header, "alg"), `alg of ${name}.protected`),
          problemUnlessText(member(header, "kid"), `kid of ${name}.protected`),
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
      firstProblemIn(card.list("signatures"), "signatures", (value, name) => {
        const signature = textAt(value, "signature") ?? "";
        return problemUnless(
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
