import { withCredentials, type FindCredentials } from "../../generated/1.0/kit/client/index.js";
import type { AgentCard, SecurityScheme } from "../../generated/1.0/models.js";
import type { CardReport, Interceptor } from "../agents/index.js";
import { loadOptional } from "../agents/load-optional.js";
import { isOAuth } from "../agents/oauth.js";
import { CliError, usage, type CallFacts } from "./errors.js";
import { agentOrigin, type Login, loginsOf, tokensFor } from "./logins.js";
import { secretOf } from "./secrets.js";
import type { Environment, Settings } from "./settings.js";

/** Credentials in the form that an agent's card declares. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters for API keys that the card expects in the query. */
  readonly query: Readonly<Record<string, string>>;
  readonly interceptors: readonly Interceptor[];
  /** Names of headers and parameters that contain a credential. */
  readonly secrets: readonly string[];
}

/** Returns the service parameters in the settings as headers. */
export function serviceParameters(settings: Settings): Record<string, string> {
  const entries = settings.list("svc-param").map((text) => {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+)\s*[:=]\s*(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name.toLowerCase(), value] as const;
    throw usage(`--svc-param cannot be "${text.split(/[:=]/)[0] ?? ""}…"`, "Write NAME:VALUE");
  });
  return Object.fromEntries(entries);
}

/** Returns the URIs of the extensions in the settings. */
export function extensionsOf(settings: Settings): readonly string[] {
  const uris = settings.list("extension");
  // Commas separate the URIs in the header.
  const wrong = uris.find((uri) => !/^[a-z][a-z\d+.-]*:[!-+\--~]+$/i.test(uri));
  if (wrong === undefined) return uris;
  throw usage(
    `--extension cannot be "${wrong}"`,
    "Write one URI, and repeat the option for further URIs",
  );
}

/** Returns the facts about calls with these settings, for the hints of a failure. */
export function callFacts(settings: Settings, environment: Environment): CallFacts {
  return {
    hasCredentials: hasCredentials(settings, environment),
    reference: settings.text("agent-card"),
    source: settings.sourceOf("agent-card"),
  };
}

/** Returns whether the user gave any credentials. */
export function hasCredentials(settings: Settings, environment: Environment): boolean {
  const names = ["bearer", "api-key", "oauth-client-id", "svc-param", "cert"];
  const agent = agentOrigin(settings.text("agent-card"));
  return (
    names.some((name) => settings.text(name) !== undefined) ||
    loginsOf(environment).some((login) => login.agent === agent)
  );
}

/**
 * Returns the credentials in the settings, in the locations that the schemes of the card declare.
 */
export async function credentialsFor(
  { card }: CardReport,
  settings: Settings,
  environment: Environment,
): Promise<Credentials> {
  const schemes = Object.entries(card?.securitySchemes ?? {});
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const bearer = settings.text("bearer");
  if (bearer !== undefined) {
    refuseUnlessAccepted("--bearer", schemes, isBearer);
    headers["authorization"] = `Bearer ${await secretOf("bearer", bearer, environment)}`;
  }
  const apiKey = settings.text("api-key");
  const secrets =
    apiKey === undefined
      ? []
      : placeKey(await secretOf("api-key", apiKey, environment), schemes, headers, query);
  const clientTokens = await clientInterceptors(card, settings, environment);
  // Credentials on the command line replace a sign-in.
  const isGiven = clientTokens.length > 0 || bearer !== undefined || apiKey !== undefined;
  const interceptors = isGiven
    ? clientTokens
    : await loginInterceptors(card, settings, environment);
  return { headers, query, interceptors, secrets };
}

/** Returns the sign-in of `a2a auth login` for the agent in the settings. */
export function loginFor(settings: Settings, environment: Environment): Login | undefined {
  const agent = agentOrigin(settings.text("agent-card"));
  const found =
    agent === undefined ? undefined : loginsOf(environment).find((login) => login.agent === agent);
  if (found !== undefined)
    settings.refuseForeignFile(["insecure", "origin", "cacert"], "a sign-in");
  return found;
}

/** Returns an interceptor that sends the tokens from a sign-in. */
async function loginInterceptors(
  card: AgentCard | undefined,
  settings: Settings,
  environment: Environment,
): Promise<Interceptor[]> {
  const login = loginFor(settings, environment);
  const scheme = login && card?.securitySchemes?.[login.scheme];
  if (login === undefined || scheme === undefined || !isOAuth(scheme)) return [];
  const secret = settings.text("oauth-client-secret");
  const clientSecret = secret && (await secretOf("oauth-client-secret", secret, environment));
  const findTokens = await tokensFor(login, scheme, environment, undefined, clientSecret);
  return [withCredentials({ [login.scheme]: findTokens }, card === undefined ? {} : { card })];
}

type Named = readonly (readonly [name: string, scheme: SecurityScheme])[];

function isBearer(scheme: SecurityScheme): boolean {
  const http = scheme.httpAuthSecurityScheme?.scheme.toLowerCase();
  return http === "bearer" || isOAuth(scheme);
}

/**
 * Throws if a card declares schemes, but none of them accepts the credential. Many cards declare no
 * schemes.
 */
function refuseUnlessAccepted(
  option: string,
  schemes: Named,
  accepts: (scheme: SecurityScheme) => boolean,
): void {
  if (schemes.length === 0 || schemes.some(([, scheme]) => accepts(scheme))) return;
  const names = schemes.map(([name]) => name).join(", ");
  throw usage(
    `the card declares no scheme that accepts ${option}`,
    `It declares ${names}; see \`a2a card get\``,
  );
}

/**
 * Adds an API key to the headers or the query, for each scheme in the card that requires an API
 * key. Returns the names of these headers and parameters.
 */
function placeKey(
  key: string,
  schemes: Named,
  headers: Record<string, string>,
  query: Record<string, string>,
): string[] {
  const keys = schemes.flatMap(([, { apiKeySecurityScheme: scheme }]) =>
    scheme === undefined ? [] : [scheme],
  );
  if (keys.length === 0)
    throw usage(
      "the card declares no scheme for --api-key",
      "To send your own header, use --svc-param",
    );
  for (const { location, name } of keys) {
    if (location === "query") query[name] = key;
    else if (location === "cookie")
      headers["cookie"] = [headers["cookie"], `${name}=${encodeURIComponent(key)}`]
        .filter(Boolean)
        .join("; ");
    else headers[name.toLowerCase()] = key;
  }
  return keys.map(({ name }) => name);
}

/** Returns an interceptor that gets tokens with the client credentials in the settings. */
async function clientInterceptors(
  card: AgentCard | undefined,
  settings: Settings,
  environment: Environment,
): Promise<Interceptor[]> {
  const clientId = settings.text("oauth-client-id");
  if (clientId === undefined) return [];
  const secret = settings.text("oauth-client-secret");
  // A client that signs a user in does not require a secret.
  if (secret === undefined && loginFor(settings, environment) !== undefined) return [];
  if (secret === undefined)
    throw new CliError(
      "A2ACLI_ERR_CREDENTIALS_MISSING",
      "A2ACLI_OAUTH_CLIENT_SECRET is not set",
      "Export the secret",
    );
  const names = Object.entries(card?.securitySchemes ?? {}).flatMap(([name, scheme]) =>
    isOAuth(scheme) ? [name] : [],
  );
  if (names.length === 0)
    throw usage("the card declares no OAuth scheme", "Use --bearer or --api-key");
  const issuer = settings.text("oauth-issuer");
  // A malicious card could contain its own token endpoint, which would receive the secret.
  if (issuer === undefined)
    throw usage(
      "--oauth-client-id requires --oauth-issuer",
      "Pass the origin of the token endpoint",
    );
  const clientSecret = await secretOf("oauth-client-secret", secret, environment);
  const findTokens = await tokenFinder({ clientId, clientSecret }, issuer);
  return [
    withCredentials(
      Object.fromEntries(names.map((name) => [name, findTokens])),
      card === undefined ? {} : { card },
    ),
  ];
}

async function tokenFinder(
  clientCredentials: { readonly clientId: string; readonly clientSecret: string },
  origin: string,
): Promise<FindCredentials> {
  const { oauth } = await loadOptional(
    () => import("a2a-codegen-runtime/auth/oauth"),
    () =>
      new CliError(
        "A2ACLI_ERR_INTERNAL",
        "--oauth-client-id requires the package oauth4webapi",
        "npm install oauth4webapi",
      ),
  );
  return oauth({ clientCredentials, trustedOrigins: [origin] });
}
