/**
 * Returns the command that starts this program again, for hints. With npx, `a2a` is not on the
 * user's path. If npx has downloaded the package, `npx a2a` would even download a different
 * package, whose name is `a2a`.
 */
export function programOf(env: Readonly<Record<string, string | undefined>>, script = ""): string {
  if (env["npm_lifecycle_event"] !== "npx") return "a2a";
  return /[\\/]_npx[\\/]/.test(script) ? "npx -p a2a-codegen a2a" : "npx a2a";
}
