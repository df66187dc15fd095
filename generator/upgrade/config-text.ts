/**
 * Sets the version in the text of a configuration, and leaves the rest as it is. The schema and manifest of the earlier
 * version are removed, or replaced by those of the new one.
 */
export function changedConfig(
  text: string,
  spec: string,
  files: Readonly<Partial<Record<"schema" | "manifest", string>>>,
): string {
  const named = withMember(text, "spec", JSON.stringify(spec));
  return (["schema", "manifest"] as const).reduce(
    (result, key) => withMember(result, key, files[key] === undefined ? undefined : JSON.stringify(files[key])),
    named,
  );
}

/** Sets a member of the object in a JSON text, which has no nested objects; without a value, removes the member. */
function withMember(text: string, key: string, value: string | undefined): string {
  const member = new RegExp(String.raw`("${key}"\s*:\s*)("(?:[^"\\]|\\.)*"|\[[^\]]*\])`);
  if (value !== undefined) {
    if (member.test(text)) return text.replace(member, (_, before: string) => before + value);
    const indent = /\{(\s*)"/.exec(text)?.[1] ?? "";
    const comma = /\{\s*\}/.test(text) ? "" : ",";
    return text.replace(/\{(\s*)/, (_, space: string) => `{${indent || space}"${key}": ${value}${comma}${space}`);
  }
  const [first, last] = [`${member.source}\\s*,\\s*`, `\\s*,\\s*${member.source}`].map((source) => new RegExp(source));
  return first?.test(text) === true ? text.replace(first, "") : text.replace(last ?? member, "");
}
