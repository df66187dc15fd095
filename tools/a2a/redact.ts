/** Returns the form of a secret that may be printed. */
export function visibleToken(secret: string): string {
  return secret === "" ? "" : `<${secret.length} characters>`;
}
