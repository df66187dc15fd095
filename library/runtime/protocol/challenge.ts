/**
 * Returns whether a string can be the value of a header: visible ASCII characters, with spaces and
 * tabs between them.
 */
export function isChallenge(text: string): boolean {
  return /^[!-~](?:[\t -~]*[!-~])?$/.test(text);
}

/**
 * Returns the `WWW-Authenticate` header for an error response: the challenge of the error or, if
 * credentials are missing, the challenge of the agent. Otherwise, returns `undefined`. Ignores a
 * challenge that is not a valid header value.
 */
export function challengeOf(
  { challenge }: { readonly challenge?: string | undefined },
  isUnauthenticated: boolean,
  agents: string,
): string | undefined {
  if (challenge !== undefined && isChallenge(challenge)) return challenge;
  return isUnauthenticated ? agents : undefined;
}
