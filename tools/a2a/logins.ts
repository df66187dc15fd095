import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FindCredentials } from "../../generated/1.0/kit/client/index.js";
import type { SecurityScheme } from "../../generated/1.0/models.js";
import type { OAuthOptions, TokenSource, TokenStore } from "a2a-codegen-runtime/auth/oauth";
import { originOf } from "a2a-codegen-runtime/internal/client";
import { cardUrls } from "../agents/index.js";
import { loadOptional } from "../agents/load-optional.js";
import { trustOptions, type SignInFlow } from "../agents/oauth.js";
import { CliError } from "./errors.js";
import type { Environment } from "./settings.js";
import { settingsFolder } from "./settings-folder.js";

/** A sign-in of `a2a auth login`. Its tokens are in another file. */
export interface Login {
  /** Origin of the agent that the user has passed. */
  readonly agent: string;
  /** Name of the scheme in the card. */
  readonly scheme: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly flow: SignInFlow;
  /** Requested scopes, in addition to the scopes of the card. */
  readonly scopes: readonly string[];
}

/** Returns the origin of the agent that the user has passed; `undefined` for a card in a file. */
export function agentOrigin(reference: string | undefined): string | undefined {
  const [url = ""] = cardUrls(reference ?? "");
  const origin = originOf(url);
  return /^https?:/.test(origin) ? origin : undefined;
}

/** Returns the path of the file with the tokens. */
export function tokensPath(environment: Environment): string {
  return join(settingsFolder(environment), "tokens.json");
}

function loginsPath(environment: Environment): string {
  return join(settingsFolder(environment), "logins.json");
}

/** Returns the sign-ins of the user. */
export function loginsOf(environment: Environment): readonly Login[] {
  try {
    const found: unknown = JSON.parse(readFileSync(loginsPath(environment), "utf8"));
    // Only this program writes the file.
    return Array.isArray(found) ? (found as Login[]) : [];
  } catch {
    return [];
  }
}

/** Replaces the sign-ins of the user. */
export function saveLogins(logins: readonly Login[], environment: Environment): void {
  const path = loginsPath(environment);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Another process never reads a file that is half written.
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Functions of a sign-in that interact with the user. */
export interface SignIn {
  readonly open: (url: URL) => unknown;
  readonly showCode: (code: {
    readonly userCode: string;
    readonly verificationUri: string;
  }) => unknown;
}

/**
 * Returns a function that finds the tokens of a sign-in. With `signIn`, it asks the user to sign in
 * if necessary.
 */
export async function tokensFor(
  login: Login,
  scheme: SecurityScheme,
  environment: Environment,
  signIn?: SignIn,
  clientSecret?: string,
): Promise<FindCredentials> {
  const { fileTokenStore } = await loadOptional(
    () => import("a2a-codegen-runtime/auth/token-file"),
    missingPackage,
  );
  const files = fileTokenStore(tokensPath(environment));
  const tokens: TokenStore["tokens"] = async (key) =>
    (await files.tokens(key)) ?? signInAgain(login);
  const store = signIn === undefined ? { ...files, tokens } : files;
  return tokenSource(login, { ...trustOptions(scheme, login.issuer), store }, signIn, clientSecret);
}

/**
 * Deletes the tokens of a sign-in, and revokes them at the issuer. Returns `false` if a token
 * remains valid until it expires. Throws if the issuer is unavailable. In this case, the tokens
 * have already been deleted.
 */
export async function revokeTokens(
  login: Login,
  environment: Environment,
  clientSecret: string | undefined,
): Promise<boolean> {
  const { fileTokenStore } = await loadOptional(
    () => import("a2a-codegen-runtime/auth/token-file"),
    missingPackage,
  );
  const store = fileTokenStore(tokensPath(environment));
  const { issuer } = login;
  // The card, which is unknown here, determined which of these options the sign-in has used.
  const options = [{ issuer }, { trustedOrigins: [issuer] }];
  const sources = await Promise.all(
    options.map((trust) => tokenSource(login, { ...trust, store }, undefined, clientSecret)),
  );
  const results = await Promise.allSettled(sources.map((source) => source.revoke()));
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.every((result) => result.status === "fulfilled" && result.value);
}

async function tokenSource(
  login: Login,
  settings: Pick<OAuthOptions, "issuer" | "trustedOrigins" | "store">,
  signIn?: SignIn,
  clientSecret?: string,
): Promise<TokenSource> {
  const { oauth } = await loadOptional(
    () => import("a2a-codegen-runtime/auth/oauth"),
    missingPackage,
  );
  const { loopbackReceiver } = await import("a2a-codegen-runtime/auth/loopback");
  const { clientId, flow, scopes, agent } = login;
  const client = {
    clientId,
    ...(clientSecret !== undefined && clientSecret !== "" && { clientSecret }),
  };
  // Without functions that interact with the user, only stored tokens can be used.
  const again = (): never => signInAgain(login);
  const common = { ...settings, scopes, account: agent };
  const receiver = signIn === undefined ? again : loopbackReceiver({ open: signIn.open });
  const grants: Readonly<Record<SignInFlow, () => OAuthOptions>> = {
    code: () => ({ ...common, authorizationCode: { ...client, receiver } }),
    device: () => ({ ...common, deviceCode: { ...client, showCode: signIn?.showCode ?? again } }),
    "client-credentials": () => ({ ...common, clientCredentials: client }),
  };
  return oauth(grants[flow]());
}

function signInAgain({ agent }: Login): never {
  throw new CliError(
    "A2ACLI_ERR_CREDENTIALS_MISSING",
    `The sign-in for ${agent} has ended, or the agent requires additional scopes`,
    `a2a auth login -a ${agent}, with --scope for further scopes`,
  );
}

function missingPackage(): CliError {
  return new CliError(
    "A2ACLI_ERR_INTERNAL",
    "a2a auth requires the package oauth4webapi",
    "npm install oauth4webapi",
  );
}
