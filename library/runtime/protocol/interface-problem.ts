import type { ServiceFacts } from "./operation.js";

/** Returns the reason why no client can use an interface, or `undefined` if a client can use it. */
export function interfaceProblem(
  url: string,
  binding: string,
  { bindings }: ServiceFacts,
): { readonly of: "binding" | "url"; readonly problem: string; readonly hint: string } | undefined {
  const letters = (name: string): string => name.replace(/[^a-z\d]/gi, "").toLowerCase();
  const meant = Object.values(bindings).find((name) => letters(name) === letters(binding));
  if (meant !== undefined && meant !== binding)
    return { of: "binding", problem: `unknown binding "${binding}"`, hint: `write "${meant}"` };
  const isHttp = binding === bindings.jsonRpc || binding === bindings.http;
  // Only treat a string as a relative URL if it begins with a slash or a dot. Any other string is a
  // host without a scheme.
  if (!isHttp || /^(?:https?:\/\/|[/.])/i.test(url)) return undefined;
  return {
    of: "url",
    problem: `"${url}" is not an HTTP URL`,
    hint: "begin the URL with https:// or http://",
  };
}
