import type { SecurityScheme } from "../../generated/1.0/models.js";
import { reasonOf } from "../../support/diagnostics.js";
import { hasDisplay, openBrowser } from "../terminal/browser.js";
import type { CardReport } from "../agents/index.js";
import { flowFor, isOAuth } from "../agents/oauth.js";
import { loadCard, type Run } from "./agent.js";
import { CliError, usage } from "./errors.js";
import {
  agentOrigin,
  type Login,
  loginsOf,
  revokeTokens,
  saveLogins,
  type SignIn,
  tokensFor,
  tokensPath,
} from "./logins.js";
import type { ValuesOf } from "../terminal/program.js";
import type { loginOptions, logoutOptions } from "./options.js";
import { secretOf } from "./secrets.js";
import type { Environment } from "./settings.js";

/** Options of `a2a auth login`. */
export type LoginArguments = ValuesOf<typeof loginOptions>;

/** Runs `a2a auth login`: signs the user in for an agent, and stores the tokens. */
export async function loginCommand(run: Run, options: LoginArguments): Promise<void> {
  const { settings, environment, output } = run;
  const report = await loadCard(run);
  const agent = report.url === undefined ? undefined : agentOrigin(settings.text("agent-card"));
  if (agent === undefined) throw usage("the card is a file", "Pass the URL of the agent");
  const { name, scheme, scopes } = chooseScheme(report, options.scheme);
  const issuer = issuerOf(settings.text("oauth-issuer"), scheme);
  const clientId = settings.text("oauth-client-id");
  if (clientId === undefined)
    throw usage("the command requires --oauth-client-id", "The issuer assigns the id");
  const secret = settings.text("oauth-client-secret");
  const clientSecret = secret && (await secretOf("oauth-client-secret", secret, environment));
  const flow = options.flow ?? flowFor(scheme);
  const login: Login = { agent, scheme: name, issuer, clientId, flow, scopes: options.scope ?? [] };
  const signIn: SignIn = {
    open: (url) => {
      output.note(`Sign in at ${url.href}`);
      if (options.browser ?? hasDisplay()) openBrowser(url.href);
    },
    showCode: ({ userCode, verificationUri }) =>
      output.note(`Open ${verificationUri} and enter ${userCode}`),
  };
  const findTokens = await tokensFor(login, scheme, environment, signIn, clientSecret);
  await interruptibly(findTokens({ scheme, scopes, refused: undefined }), run);
  saveLogins(
    [...loginsOf(environment).filter((known) => known.agent !== agent), login],
    environment,
  );
  if (output.isJson) await output.json(login);
  else await output.field("Signed-In", `${agent} (scheme ${name}, issuer ${issuer})`);
}

/** Settles like `result`, but rejects if the run is interrupted while the user signs in. */
async function interruptibly<T>(result: T | Promise<T>, { signal }: Run): Promise<T> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([result, aborted]);
}

/**
 * Returns the scheme for the sign-in with its required scopes: the given scheme, or the first
 * scheme in the card.
 */
function chooseScheme(
  { card }: CardReport,
  wanted: string | undefined,
): {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly scopes: readonly string[];
} {
  const schemes = Object.entries(card?.securitySchemes ?? {}).filter(([, scheme]) =>
    isOAuth(scheme),
  );
  const required = (card?.securityRequirements ?? []).flatMap(({ schemes: named = {} }) =>
    Object.entries(named),
  );
  const names = schemes.map(([name]) => name);
  const [firstRequired] = required.map(([name]) => name).filter((name) => names.includes(name));
  const name = wanted ?? firstRequired ?? names[0];
  const [, scheme] = schemes.find(([declared]) => declared === name) ?? [];
  if (name === undefined)
    throw usage("the card declares no OAuth scheme", "Use --bearer or --api-key");
  if (scheme === undefined)
    throw usage(`the card declares no OAuth scheme "${name}"`, `Use one of ${names.join(", ")}`);
  const [, scopes] = required.find(([candidate]) => candidate === name) ?? [];
  return { name, scheme, scopes: scopes?.list ?? [] };
}

/**
 * Returns the issuer that the user has passed. The card must not determine the issuer, because a
 * malicious agent could name its own server, which would receive the user's sign-in.
 */
function issuerOf(issuer: string | undefined, scheme: SecurityScheme): string {
  const { authorizationCode, deviceCode, clientCredentials } =
    scheme.oauth2SecurityScheme?.flows ?? {};
  const named =
    scheme.openIdConnectSecurityScheme?.openIdConnectUrl ??
    (authorizationCode ?? deviceCode ?? clientCredentials)?.tokenUrl ??
    "";
  const hint = URL.canParse(named)
    ? `The card contains the issuer ${new URL(named).origin}: use it if you trust it`
    : "Pass the URL of the issuer";
  if (issuer === undefined) throw usage("the command requires --oauth-issuer", hint);
  const url = /^https?:\/\//i.test(issuer) ? issuer : `https://${issuer}`;
  if (!URL.canParse(url)) throw usage(`--oauth-issuer cannot be "${issuer}"`, "Write a URL");
  return url.replace(/\/$/, "");
}

/** Runs `a2a auth logout`: deletes and revokes the tokens for an agent, or for all agents. */
export async function logoutCommand(
  { settings, environment, output }: Run,
  { all = false }: ValuesOf<typeof logoutOptions>,
): Promise<void> {
  const agent = agentOrigin(settings.text("agent-card"));
  if (agent === undefined && !all) throw usage("no agent is given", "Add -a URL, or --all");
  const logins = loginsOf(environment);
  const ended = logins.filter((login) => all || login.agent === agent);
  if (ended.length === 0)
    throw new CliError(
      "A2ACLI_ERR_CREDENTIALS_MISSING",
      "The sign-in does not exist",
      "`a2a auth status` lists them",
    );
  const secret = settings.text("oauth-client-secret");
  const clientSecret = secret && (await secretOf("oauth-client-secret", secret, environment));
  const warnings = await Promise.all(
    ended.map((login) => signOut(login, environment, clientSecret)),
  );
  saveLogins(
    logins.filter((login) => !ended.includes(login)),
    environment,
  );
  for (const warning of warnings) if (warning !== undefined) output.note(warning);
  if (output.isJson)
    await output.json(
      ended.map((login, index) => ({ ...login, revoked: warnings[index] === undefined })),
    );
  else for (const login of ended) await output.field("Signed-Out", login.agent);
}

/**
 * Deletes and revokes the tokens of a sign-in. Returns a warning for the user if a token may still
 * be valid.
 */
async function signOut(
  login: Login,
  environment: Environment,
  clientSecret: string | undefined,
): Promise<string | undefined> {
  try {
    if (await revokeTokens(login, environment, clientSecret)) return undefined;
    return `${login.issuer} cannot revoke the access token, which remains valid until it expires`;
  } catch (error) {
    return `The tokens for ${login.agent} are deleted, but not revoked: ${reasonOf(error)}`;
  } finally {
    // Tokens of an earlier sign-in for the agent, for example with another client, are deleted too.
    const { fileTokenStore } = await import("a2a-codegen-runtime/auth/token-file");
    const store = fileTokenStore(tokensPath(environment));
    for (const key of await store.keys())
      if (isOf(key, login)) await store.saveTokens(key, undefined);
  }
}

/** Returns whether tokens belong to a sign-in. The account is the last member of their key. */
function isOf(key: string, { agent }: Login): boolean {
  return key.endsWith(`,${JSON.stringify(agent)}]`);
}

/** Runs `a2a auth status`: lists the sign-ins, without tokens. */
export async function statusCommand({ environment, output }: Run): Promise<void> {
  const { fileTokenStore } = await import("a2a-codegen-runtime/auth/token-file");
  const store = fileTokenStore(tokensPath(environment));
  const keys = await store.keys();
  const found = await Promise.all(
    loginsOf(environment).map(async (login) => {
      const key = keys.find((candidate) => isOf(candidate, login));
      const tokens = key === undefined ? undefined : await store.tokens(key);
      const expires =
        tokens?.expiresAt === undefined ? undefined : new Date(tokens.expiresAt).toISOString();
      return { ...login, ...(expires && { expires }), renews: tokens?.refreshToken !== undefined };
    }),
  );
  if (output.isJson) return output.json(found);
  if (found.length === 0) return output.field("Sign-Ins", "none");
  for (const { agent, scheme, issuer, clientId, flow, expires, renews } of found) {
    await output.field("Agent", agent);
    await output.field("Scheme", scheme);
    await output.field("Issuer", issuer);
    await output.field("Client", `${clientId} (${flow})`);
    const renewal = renews ? ", then renewed" : "";
    await output.field("Expires", expires && `${expires}${renewal}`);
    await output.blank();
  }
}
