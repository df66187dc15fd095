/** Returns whether a text can be the value of a header: visible characters of ASCII, with spaces and tabs between. */
export function isChallenge(text: string): boolean {
  return /^[!-~](?:[\t -~]*[!-~])?$/.test(text);
}

/**
 * Returns the `WWW-Authenticate` header of a response with an error: the challenge of the error, or the challenge of
 * the agent if credentials are missing; otherwise `undefined`. A challenge that is not a valid header value is ignored.
 */
export function challengeOf(
  { challenge }: { readonly challenge?: string | undefined },
  isUnauthenticated: boolean,
  agents: string,
): string | undefined {
  if (challenge !== undefined && isChallenge(challenge)) return challenge;
  return isUnauthenticated ? agents : undefined;
}
