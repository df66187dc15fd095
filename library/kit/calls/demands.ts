import { PermissionDeniedError, UnauthenticatedError } from "../../errors.js";
import type { Caller } from "../../runtime/server/context.js";
import { isNoUser } from "../../runtime/server/user.js";
import type { AgentCard, SecurityRequirement, SecurityScheme } from "../model.js";
import { subjectIssuer, type Access, type CheckCredentials } from "./check-credentials.js";
import { wordOf } from "./challenge.js";

/** A security requirement of the card: the caller must satisfy all of its schemes. */
export type Demands<User> = readonly {
  readonly find: (caller: Caller) => string | undefined;
  readonly check: CheckCredentials<User>;
  readonly scopes: readonly string[];
}[];

/**
 * Returns the user for the first requirement that a caller satisfies; `undefined` if the caller
 * does not satisfy any requirement. If the caller does not satisfy any requirement because checks
 * have thrown errors, throws one of these errors. An error for a missing permission takes
 * precedence over an error for invalid credentials.
 */
export async function firstUser<User>(
  demands: readonly Demands<User>[],
  access: Omit<Access, "scopes">,
): Promise<User | undefined> {
  let denied: Error | undefined;
  let invalid: Error | undefined;
  for (const demand of demands.filter(({ length }) => length > 0)) {
    try {
      const user = await userOf(demand, access);
      if (user !== undefined) return user;
    } catch (error) {
      // Continue, because the caller may satisfy another requirement.
      if (error instanceof PermissionDeniedError) denied ??= error;
      else if (error instanceof UnauthenticatedError) invalid ??= error;
      else throw error;
    }
  }
  const refusal = denied ?? invalid;
  if (refusal !== undefined) throw refusal;
  return undefined;
}

/** Returns the user of the first scheme if the credentials for all schemes are valid. */
async function userOf<User>(
  demands: Demands<User>,
  access: Omit<Access, "scopes">,
): Promise<User | undefined> {
  let user: User | undefined;
  for (const { find, check, scopes } of demands) {
    const credentials = find(access.caller);
    const found =
      credentials === undefined ? undefined : await check(credentials, { ...access, scopes });
    if (isNoUser(found)) return undefined;
    // `isNoUser` has excluded the other members of the union.
    user ??= found as User;
  }
  return user;
}

/**
 * Throws a `TypeError` if the card does not declare a scheme that it requires or that the program
 * checks.
 */
export function checkNames(card: AgentCard, checks: object): void {
  const declared = card.securitySchemes ?? {};
  const requirements = [
    ...(card.securityRequirements ?? []),
    ...card.skills.flatMap((skill) => skill.securityRequirements ?? []),
  ];
  const names = [
    ...requirements.flatMap(({ schemes = {} }) => Object.keys(schemes)),
    ...Object.keys(checks),
  ];
  for (const name of names)
    if (!Object.hasOwn(declared, name))
      throw new TypeError(
        `The security scheme "${name}" is not declared: add it to \`securitySchemes\` of the card`,
      );
}

/**
 * Throws a `TypeError` if the checks return subjects of several issuers as ids. Subjects are only
 * unique within an issuer, so a user of one issuer would own the tasks of a user of another issuer.
 */
export function checkSubjects(checks: Readonly<Record<string, CheckCredentials<unknown>>>): void {
  const issuers = [
    ...new Set(Object.values(checks).flatMap((check) => check[subjectIssuer] ?? [])),
  ];
  if (issuers.length > 1)
    throw new TypeError(
      `Users of ${issuers.join(" and ")} may have the same id: set the option \`user\` of ` +
        "`jwt`, for example to `({ iss, sub }) => ({ id: JSON.stringify([iss, sub]) })`",
    );
}

/**
 * Returns the schemes of a requirement with their checks. Throws a `TypeError` if a check is
 * missing.
 */
export function demandsOf<User>(
  { schemes: named = {} }: SecurityRequirement,
  schemes: Readonly<Record<string, SecurityScheme>>,
  checks: Readonly<Record<string, CheckCredentials<User>>>,
): Demands<User> {
  return Object.entries(named).map(([name, scopes]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined)
      throw new TypeError(
        `The card requires the security scheme "${name}": pass a function that checks its ` +
          "credentials",
      );
    return { find: finderOf(name, schemes[name]), check, scopes: scopes.list ?? [] };
  });
}

/**
 * Returns a function that reads the credentials for a scheme from the headers or query of a
 * request.
 */
function finderOf(
  name: string,
  scheme: SecurityScheme | undefined,
): (caller: Caller) => string | undefined {
  if (scheme?.apiKeySecurityScheme !== undefined) {
    const { location, name: key } = scheme.apiKeySecurityScheme;
    if (location === "header") return ({ headers }) => filled(headers.get(key.toLowerCase()));
    if (location === "cookie") return ({ headers }) => cookieIn(headers.get("cookie") ?? "", key);
    if (location === "query")
      return ({ query }) => filled(new URLSearchParams(query).get(key) ?? undefined);
    throw new TypeError(
      `The key of the security scheme "${name}" has the unsupported location ${location}: use ` +
        "header or cookie",
    );
  }
  if (scheme?.mtlsSecurityScheme !== undefined) return () => "";
  const expectedWord = wordOf(scheme);
  return ({ headers }) => {
    const [sentWord = "", ...credentials] = (headers.get("authorization") ?? "").trim().split(/ +/);
    const isScheme = sentWord.toLowerCase() === expectedWord.toLowerCase();
    return isScheme && credentials.length > 0 ? credentials.join(" ") : undefined;
  };
}

function cookieIn(header: string, name: string): string | undefined {
  const found = header
    .split(";")
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(`${name}=`));
  return filled(found?.slice(name.length + 1));
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
