import {
  entriesAt,
  error,
  isObject,
  listAt,
  member,
  note,
  quoted,
  textAt,
  warning,
} from "./findings.js";
import type { Finding } from "./findings.js";

type Path = readonly (string | number)[];

/** Scheme of a card, in a common form for both structures that versions define. */
interface Scheme {
  readonly kind: "apiKey" | "http" | "oauth2" | "openIdConnect" | "mtls" | "unknown";
  readonly value: unknown;
  readonly path: Path;
}

const kinds = {
  apiKeySecurityScheme: "apiKey",
  httpAuthSecurityScheme: "http",
  oauth2SecurityScheme: "oauth2",
  openIdConnectSecurityScheme: "openIdConnect",
  mtlsSecurityScheme: "mtls",
} as const;

/** Values of `type` in schemes before 1.0. */
const types = {
  apiKey: "apiKey",
  http: "http",
  oauth2: "oauth2",
  openIdConnect: "openIdConnect",
  mutualTLS: "mtls",
} as const;

/** Returns the findings about the security schemes and requirements of a card. */
export function lintSecurity(card: unknown): Finding[] {
  const declared = entriesAt(card, "securitySchemes");
  const schemes = new Map(
    declared.map(([name, value]) => [name, schemeOf(value, ["securitySchemes", name])]),
  );
  const required = requirementsOf(card);
  const used = new Set(required.flatMap(({ schemes: named }) => named.map(({ name }) => name)));
  const unused = [...schemes.keys()].filter((name) => !used.has(name));
  return [
    ...[...schemes.values()].flatMap(lintScheme),
    ...required.flatMap((requirement) => lintRequirement(requirement, schemes)),
    ...unused.map((name) =>
      note(
        ["securitySchemes", name],
        `no requirement uses the scheme ${quoted(name)}`,
        "add it to securityRequirements",
      ),
    ),
  ];
}

function schemeOf(value: unknown, path: Path): Scheme {
  for (const [key, kind] of Object.entries(kinds))
    if (isObject(member(value, key)))
      return { kind, value: member(value, key), path: [...path, key] };
  const type = textAt(value, "type") ?? "";
  const kind = Object.hasOwn(types, type) ? types[type as keyof typeof types] : "unknown";
  return { kind, value, path };
}

/** A scheme in a requirement, with its scopes. */
interface RequiredScheme {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly path: Path;
}

/** A requirement of the card or of a skill. */
interface Requirement {
  readonly path: Path;
  readonly schemes: readonly RequiredScheme[];
}

function requirementsOf(card: unknown): Requirement[] {
  const skills = listAt(card, "skills").map((holder, at) => ({ path: ["skills", at], holder }));
  return [{ path: [], holder: card }, ...skills].flatMap(({ path, holder }) =>
    ["securityRequirements", "security"].flatMap((key) =>
      listAt(holder, key).map((requirement, at) => requirementOf(requirement, [...path, key, at])),
    ),
  );
}

function requirementOf(requirement: unknown, path: Path): Requirement {
  const isCurrent = isObject(member(requirement, "schemes"));
  const entries = isCurrent
    ? entriesAt(requirement, "schemes")
    : Object.entries(isObject(requirement) ? requirement : {});
  const schemes = entries.map(([name, value]) => {
    // Before 1.0, the value is the list itself.
    const scopes: readonly unknown[] = Array.isArray(value) ? value : listAt(value, "list");
    return {
      name,
      scopes: scopes.filter((scope) => typeof scope === "string"),
      path: [...path, ...(isCurrent ? ["schemes"] : []), name],
    };
  });
  return { path, schemes };
}

function lintRequirement(
  { path, schemes: named }: Requirement,
  known: ReadonlyMap<string, Scheme>,
): Finding[] {
  if (named.length === 0)
    return [note(path, "the requirement is empty, so calls require no credentials")];
  return named.flatMap(({ name, scopes, path: at }) => {
    const scheme = known.get(name);
    if (scheme !== undefined) return scopes.flatMap((scope) => lintScope(scope, scheme, at));
    // The checks that agents run at startup report unknown schemes of the card. Unknown schemes of
    // skills are reported here.
    if (path[0] !== "skills") return [];
    return [
      error(
        at,
        `no caller can meet the requirement: unknown security scheme ${quoted(name)}`,
        "declare the scheme",
      ),
    ];
  });
}

function lintScope(scope: string, { kind, value }: Scheme, path: Path): Finding[] {
  if (scope === "")
    return [error(path, "a scope is empty, which no token has", "remove the empty scope")];
  if (kind === "openIdConnect") return [];
  if (kind !== "oauth2")
    return [note(path, `scope ${quoted(scope)} has no meaning for this scheme`, "remove it")];
  const flows = entriesAt(value, "flows").map(([, flow]) =>
    entriesAt(flow, "scopes").map(([name]) => name),
  );
  if (flows.length === 0 || flows.some((scopes) => scopes.includes(scope))) return [];
  return [
    warning(
      path,
      `no flow of the scheme offers the scope ${quoted(scope)}`,
      "add it to the scopes of a flow",
    ),
  ];
}

function lintScheme(scheme: Scheme): Finding[] {
  switch (scheme.kind) {
    case "apiKey":
      return lintApiKey(scheme);
    case "http":
      return lintHttp(scheme);
    case "oauth2":
      return lintOAuth(scheme);
    case "openIdConnect":
      return lintUrl(textAt(scheme.value, "openIdConnectUrl"), [
        ...scheme.path,
        "openIdConnectUrl",
      ]);
    default:
      return [];
  }
}

function lintApiKey({ value, path }: Scheme): Finding[] {
  const key = textAt(value, "location") === undefined ? "in" : "location";
  const location = textAt(value, key);
  const at = [...path, key];
  if (location === "query") return [warning(at, "keys in a query end up in logs", 'use "header"')];
  if (location === undefined || ["header", "cookie"].includes(location)) return [];
  return [error(at, `unknown location ${quoted(location)}`, 'use "header", "query" or "cookie"')];
}

/** Names in the registry of HTTP authentication schemes, in lower case. */
const httpSchemes = new Set([
  ...[
    "basic",
    "bearer",
    "concealed",
    "digest",
    "dpop",
    "gnap",
    "hoba",
    "mutual",
    "negotiate",
    "oauth",
    "privatetoken",
  ],
  ...["scram-sha-1", "scram-sha-256", "vapid"],
]);

function lintHttp({ value, path }: Scheme): Finding[] {
  const scheme = textAt(value, "scheme");
  if (scheme === undefined || httpSchemes.has(scheme.toLowerCase())) return [];
  return [
    warning(
      [...path, "scheme"],
      `unknown HTTP authentication scheme ${quoted(scheme)}`,
      'did you mean "Bearer"?',
    ),
  ];
}

function lintOAuth({ value, path }: Scheme): Finding[] {
  const flows = entriesAt(value, "flows");
  if (flows.length === 0)
    return [
      error(
        [...path, "flows"],
        "the scheme has no flow, so no caller can get a token",
        "add a flow",
      ),
    ];
  return flows.flatMap(([name, flow]) => {
    const at = [...path, "flows", name];
    const urls = ["authorizationUrl", "tokenUrl", "deviceAuthorizationUrl", "refreshUrl"];
    const findings = urls.flatMap((key) => lintUrl(textAt(flow, key), [...at, key]));
    if (name !== "implicit" && name !== "password") return findings;
    const hint = "use authorizationCode or deviceCode";
    return [warning(at, `OAuth 2.1 removes the flow "${name}"`, hint), ...findings];
  });
}

function lintUrl(url: string | undefined, path: Path): Finding[] {
  if (url === undefined) return [];
  if (!URL.canParse(url))
    return [error(path, `${quoted(url)} is not an absolute URL`, "begin it with https://")];
  return /^http:/i.test(url)
    ? [warning(path, "tokens would be sent unencrypted", "use https://")]
    : [];
}
