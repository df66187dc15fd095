import { basename } from "node:path";
import { withConfigKey } from "../project/config-edit.js";
import { InputError } from "../../support/diagnostics.js";

/** Files of a specification that a configuration may name. */
type SpecFiles = Readonly<Partial<Record<"schema" | "manifest", string>>>;

/** Values that an upgrade sets in a configuration. `versions` is only present if it changes. */
export interface ConfigChanges {
  readonly spec: string;
  readonly files: SpecFiles;
  readonly versions?: readonly string[] | undefined;
  /** Whether the output has aliases for old names; only present if the upgrade must set this. */
  readonly aliases?: "all" | "none" | undefined;
}

/**
 * Sets the version in the text of a configuration. The rest of the text, including comments, does
 * not change. The schema and the manifest of the earlier version are removed, or replaced by the
 * files of the new version.
 */
export function changedConfig(
  text: string,
  { spec, files, versions, aliases }: ConfigChanges,
): string {
  const others = versions?.length === 0 ? undefined : versions;
  const adapted = versions === undefined ? text : withConfigKey(text, "versions", others, Infinity);
  const named = withConfigKey(
    aliases === undefined ? adapted : withConfigKey(adapted, "aliases", aliases),
    "spec",
    spec,
  );
  return (["schema", "manifest"] as const).reduce(
    (result, key) => withConfigKey(result, key, files[key]),
    named,
  );
}

/**
 * Sets the version in the text of a configuration that is a module.
 *
 * @throws InputError if the module does not contain the version as a string, or if it names
 *   additional files of the specification
 */
export function changedModule(
  text: string,
  path: string,
  { spec, files, versions: others }: ConfigChanges,
): string {
  const versions = [...text.matchAll(/\bspec\b["']?\s*:\s*(["'])([^"'\\\n]*)\1/g)];
  const [found] = versions;
  if (others !== undefined)
    throw new InputError({
      location: { file: basename(path) },
      message: '"versions" cannot be set in this module',
      hint: `Set versions: ${JSON.stringify(others)} in it, and upgrade without --keep`,
    });
  const namesFiles = /\b(?:schema|manifest)\b["']?\s*:/.test(text) || Object.keys(files).length > 0;
  if (found === undefined || versions.length > 1 || namesFiles)
    throw new InputError({
      location: { file: basename(path) },
      message: '"spec" cannot be set in this module',
      hint:
        'Set spec: "VERSION" once and remove schema and manifest, or convert the configuration ' +
        "to JSON",
    });
  const end = found.index + found[0].length - 1;
  return text.slice(0, end - (found[2]?.length ?? 0)) + spec + text.slice(end);
}
