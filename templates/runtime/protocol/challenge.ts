/** Returns whether a text can be the value of a header: visible characters of ASCII, with spaces and tabs between. */
export function isChallenge(text: string): boolean {
  return /^[!-~](?:[\t -~]*[!-~])?$/.test(text);
}

/**
 * Returns the `WWW-Authenticate` of a response with an error: the error's own, or that of the agent if the response is
 * for missing credentials; `undefined` if there is none. A challenge that no header can carry does not count.
 */
export function challengeOf(
  { challenge }: { readonly challenge?: string | undefined },
  isUnauthenticated: boolean,
  agents: string,
): string | undefined {
  if (challenge !== undefined && isChallenge(challenge)) return challenge;
  return isUnauthenticated ? agents : undefined;
}
