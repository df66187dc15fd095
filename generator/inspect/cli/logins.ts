import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FindCredentials } from "../../../generated/1.0-package/kit/client/index.js";
import type { SecurityScheme } from "../../../generated/1.0-package/models.js";
import type { OAuthOptions, TokenStore } from "a2a-codegen/kit/auth/oauth";
import { originOf } from "a2a-codegen/runtime/client/origins";
import { cardUrls } from "../core/index.js";
import { trustOptions, type SignInFlow } from "../core/oauth.js";
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
  const [url = ""] = reference === undefined ? [] : cardUrls(reference);
  return /^https?:/.test(originOf(url)) ? originOf(url) : undefined;
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
  const next = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(next, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
    renameSync(next, path);
  } finally {
    rmSync(next, { force: true });
  }
}

/** Functions that ask the user to sign in. */
export interface SignIn {
  readonly open: (url: URL) => unknown;
  readonly showCode: (code: { readonly userCode: string; readonly verificationUri: string }) => unknown;
}

/** Returns a function that finds the tokens of a sign-in. With `signIn`, it asks the user to sign in if necessary. */
export async function tokensFor(
  login: Login,
  scheme: SecurityScheme,
  environment: Environment,
  signIn?: SignIn,
  clientSecret?: string,
): Promise<FindCredentials> {
  const { oauth, fileTokenStore, loopbackReceiver } = await authModules();
  const { clientId, flow, issuer, scopes, agent } = login;
  const client = { clientId, ...(clientSecret !== undefined && clientSecret !== "" && { clientSecret }) };
  const again = (): never => {
    throw signInAgain(login);
  };
  const files = fileTokenStore(tokensPath(environment));
  const stored: TokenStore = { ...files, tokens: async (key) => (await files.tokens(key)) ?? again() };
  const store = signIn === undefined ? stored : files;
  const common = { ...trustOptions(scheme, issuer), scopes, store, account: agent };
  const receiver = signIn === undefined ? again : loopbackReceiver({ open: signIn.open });
  const grants: Readonly<Record<SignInFlow, () => OAuthOptions>> = {
    code: () => ({ ...common, authorizationCode: { ...client, receiver } }),
    device: () => ({ ...common, deviceCode: { ...client, showCode: signIn?.showCode ?? again } }),
    "client-credentials": () => ({ ...common, clientCredentials: client }),
  };
  return oauth(grants[flow]());
}

function signInAgain({ agent }: Login): CliError {
  return new CliError(
    "A2ACLI_ERR_CREDENTIALS_MISSING",
    `The sign-in for ${agent} has ended, or the agent requires further scopes`,
    `a2a auth login -a ${agent}, with --scope for further scopes`,
  );
}

async function authModules() {
  try {
    const [{ oauth }, { fileTokenStore }, { loopbackReceiver }] = await Promise.all([
      import("a2a-codegen/kit/auth/oauth"),
      import("a2a-codegen/kit/auth/token-file"),
      import("a2a-codegen/kit/auth/loopback"),
    ]);
    return { oauth, fileTokenStore, loopbackReceiver };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new CliError("A2ACLI_ERR_INTERNAL", "a2a auth requires the package oauth4webapi", "npm install oauth4webapi");
  }
}
