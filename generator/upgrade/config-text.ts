/**
 * Changes the version that a configuration names, and leaves the rest of the text as it is. What went with the earlier
 * version, its schema and manifest, goes, or gives way to what the new one needs.
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

/** Sets a member of the one object of a JSON text, which holds no other objects; without a value, the member goes. */
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
