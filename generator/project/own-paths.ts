import { relative, resolve } from "node:path";
import { InputError } from "../../support/diagnostics.js";
import { resolvesInto, realPathOf } from "../../support/real-path.js";
import { entryOf, type Config } from "./config.js";
import type { LoadedConfig } from "./config-file.js";

/**
 * Keys of a configuration that contain paths to which a run writes, or from which it loads
 * templates.
 */
const pathKeys = ["out", "templates", "agent"] as const;

/** Path in a configuration, with its key and its original text. */
interface ConfiguredPath {
  readonly key: keyof Config;
  readonly text: string;
}

/**
 * Throws an `InputError` for paths in a configuration that, after symbolic links are resolved, are
 * neither below the folder of the configuration nor below the working directory. A configuration
 * may be part of a cloned repository, and must not write to the user's home folder or into `.git`.
 * Keys in `replaced` are set on the command line, where any path is allowed.
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
      message:
        `"${name}" of the configuration is "${realPathOf(resolve(folder, text))}", outside the ` +
        "project",
      hint: `Use a path below the folder of the configuration, or confirm this path with --${name}`,
    };
  });
  if (problems.length > 0) throw new InputError(...problems);
}

function pathsOf(config: Config): ConfiguredPath[] {
  const { spec } = config;
  const agents =
    typeof spec === "object" ? spec.flatMap((entry) => entryOf(entry).agent ?? []) : [];
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

/**
 * Returns whether a path contains a `.git` folder. Ignores case, because some file systems ignore
 * it.
 */
function isOfGit(path: string): boolean {
  return path.split(/[/\\]/).some((part) => /^\.git$/i.test(part));
}
