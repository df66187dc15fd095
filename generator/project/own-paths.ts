import { relative, resolve } from "node:path";
import { InputError } from "../support/diagnostics.js";
import { resolvesInto, realPathOf } from "../support/real-path.js";
import { entryOf, type Config } from "./config.js";
import type { LoadedConfig } from "./config-file.js";

/** Keys of a configuration whose paths a run writes to, or loads templates from. */
const pathKeys = ["out", "templates", "runtime", "agent"] as const;

/** Path of a configuration, with its key and its text in the configuration. */
interface ConfiguredPath {
  readonly key: keyof Config;
  readonly text: string;
}

/**
 * Throws an `InputError` for paths of a configuration that, after resolving symbolic links, are neither below the
 * folder of the configuration nor below the folder of the call. A configuration may come with a cloned repository, and
 * must not write to the home folder of the user, or into `.git`. Keys in `replaced` are set on the command line, which
 * may name any path.
 */
export function refuseForeignPaths(
  { config, folder, locationOf }: LoadedConfig,
  { cwd, replaced }: { readonly cwd: string; readonly replaced: ReadonlySet<string> },
): void {
  const foreign = pathsOf(config).filter(
    ({ key, text }) => !replaced.has(key) && !isOwn(resolve(folder, text), [folder, cwd]),
  );
  const problems = foreign.map(({ key, text }) => {
    const name = key === "spec" ? "agent" : key;
    return {
      ...(locationOf && { location: locationOf(key, text) }),
      message: `"${name}" of the configuration is "${realPathOf(resolve(folder, text))}", outside the project`,
      hint: `Use a path below the folder of the configuration, or confirm this path with --${name}`,
    };
  });
  if (problems.length > 0) throw new InputError(...problems);
}

function pathsOf(config: Config): ConfiguredPath[] {
  const { spec } = config;
  const agents = typeof spec === "object" ? spec.flatMap((entry) => entryOf(entry).agent ?? []) : [];
  return [
    ...pathKeys.flatMap((key): ConfiguredPath[] => {
      const text = config[key];
      return text === undefined ? [] : [{ key, text }];
    }),
    ...agents.map((text): ConfiguredPath => ({ key: "spec", text })),
  ];
}

function isOwn(path: string, roots: readonly string[]): boolean {
  if (!resolvesInto(path, roots)) return false;
  const real = realPathOf(path);
  return roots.every((root) => !isOfGit(relative(realPathOf(root), real)));
}

/** Returns whether a path contains a `.git` folder. Ignores case, as some file systems do. */
function isOfGit(path: string): boolean {
  return path.split(/[/\\]/).some((part) => /^\.git$/i.test(part));
}
