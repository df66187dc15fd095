import { originOf } from "../runtime/client/origins.js";

/**
 * Challenge for bearer tokens (RFC 6750) in the response from an agent. Its content is not trusted.
 */
export interface BearerChallenge {
  /** Reason for the rejection, such as `insufficient_scope`. */
  readonly error: string | undefined;
  /** Scopes that the agent requires. */
  readonly scopes: readonly string[];
  /**
   * URL of the resource metadata (RFC 9728); `undefined` unless it is at the origin of the agent.
   */
  readonly resourceMetadata: string | undefined;
}

/** Maximum length of a header that is parsed. */
const maxLength = 8_192;

/** Maximum number of scopes in a challenge. */
const maxScopes = 50;

/**
 * Returns the challenge for bearer tokens in a `WWW-Authenticate` header; `undefined` if the header
 * does not contain such a challenge. A URL at a different origin is omitted, because an agent must
 * not choose the servers that its clients call.
 *
 * @param url - URL, or gRPC target, of the agent that sent the header
 */
export function bearerChallengeIn(header: string, url: string): BearerChallenge | undefined {
  const parameters = bearerParameters(header);
  if (parameters === undefined) return undefined;
  const metadata = parameters.get("resource_metadata") ?? "";
  const isOwn = URL.canParse(metadata) && new URL(metadata).origin === originOf(url);
  const scopes = (parameters.get("scope") ?? "")
    .split(" ")
    .filter((scope) => /^[!#-[\]-~]{1,256}$/.test(scope));
  return {
    error: parameters.get("error"),
    scopes: [...new Set(scopes)].slice(0, maxScopes),
    resourceMetadata: isOwn ? metadata : undefined,
  };
}

/**
 * Returns the parameters of the first bearer challenge. A header may contain challenges for several
 * schemes.
 */
function bearerParameters(header: string): ReadonlyMap<string, string> | undefined {
  if (header.length > maxLength) return undefined;
  let parameters: Map<string, string> | undefined;
  const reader = new RegExp(
    // Matches a parameter, a scheme, or other text, such as credentials for another scheme.
    /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"=]+))(?=[ \t]*(?:,|$))|([\w!#$%&'*+.^`|~-]+)(?=[ \t,]|$)|[^\s,]+)/,
    "y",
  );
  for (let match = reader.exec(header); match !== null; match = reader.exec(header)) {
    const groups: readonly (string | undefined)[] = match;
    const [, name, quoted, plain, scheme] = groups;
    if (scheme !== undefined) {
      if (parameters !== undefined) return parameters;
      if (scheme.toLowerCase() === "bearer") parameters = new Map();
    } else if (
      name !== undefined &&
      parameters !== undefined &&
      !parameters.has(name.toLowerCase())
    )
      parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain ?? "");
  }
  return parameters;
}
