import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isFile, isTrusted } from "../../support/files.js";
import { camelCase, type Values } from "../terminal/program.js";
import { usage } from "./errors.js";
import { findSettingsFolder, homeFolder } from "./settings-folder.js";

/** Environment of a run. */
export interface Environment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Command that starts this program, for hints. Default: `a2a`. */
  readonly program?: string | undefined;
  /** Standard input of a chat. Default: the standard input of the process. */
  readonly stdin?: NodeJS.ReadableStream | undefined;
}

/**
 * Settings that the environment and files may contain, with their defaults. `--stream` must be on
 * the command line.
 */
const defaults: Readonly<Record<string, string>> = {
  "agent-card": "",
  output: "text",
  transport: "",
  "a2a-version": "",
  bearer: "",
  "api-key": "",
  "oauth-client-id": "",
  "oauth-client-secret": "",
  "oauth-issuer": "",
  "svc-param": "",
  extension: "",
  origin: "",
  timeout: "10m",
  "max-bytes": String(64 * 2 ** 20),
  lenient: "false",
  insecure: "false",
  verbose: "false",
  debug: "false",
  "poll-interval": "2s",
  cert: "",
  key: "",
  "key-passphrase": "",
  cacert: "",
  async: "false",
  "task-id": "",
  "context-id": "",
  metadata: "",
  history: "",
  dir: ".",
  save: "",
};

/** Settings whose values are secret. */
export const secretSettings: readonly string[] = [
  "bearer",
  "api-key",
  "oauth-client-secret",
  "key-passphrase",
  "svc-param",
];

/** Source of a setting. */
export type Source = "flag" | "environment" | "file" | "global file" | "default";

/** A setting with its source. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly source: Source;
  /** The path of the file, if a file contains the setting. */
  readonly path?: string;
}

/** A file with settings. */
interface SettingsFile {
  readonly source: Source;
  readonly path: string;
  readonly values: ReadonlyMap<string, string>;
}

/** Effective settings of a run: flags, then environment, then files, then defaults. */
export class Settings {
  readonly #argv: Values;
  readonly #env: Environment["env"];
  readonly #files: readonly SettingsFile[];

  constructor(argv: Values, { cwd, env }: Environment) {
    this.#argv = argv;
    this.#env = env;
    const path = argv["config"] ?? env["A2ACLI_CONFIG"];
    const explicit = typeof path === "string" && path !== "" ? resolve(cwd, path) : undefined;
    if (explicit !== undefined && !existsSync(explicit))
      throw usage(`the file "${explicit}" does not exist`, "Check the path of --config");
    const local = explicit ?? nearest(cwd, { cwd, home: homeFolder(env) });
    const folder = findSettingsFolder({ env });
    const global = folder === undefined ? "" : join(folder, ".env");
    this.#files = [
      ...(local === undefined ? [] : [fileAt(local, "file")]),
      ...(existsSync(global) ? [fileAt(global, "global file")] : []),
    ];
    if (explicit === undefined) this.#refuseForeignAgent();
  }

  /** Returns a setting with its source. */
  find(name: string): Setting {
    const flag = this.#argv[camelCase(name)];
    if (flag !== undefined) return { name, value: textOf(flag), source: "flag" };
    const variable = variableOf(name);
    const inEnvironment = this.#env[variable];
    if (inEnvironment !== undefined && inEnvironment !== "")
      return { name, value: inEnvironment, source: "environment" };
    for (const { source, path, values } of this.#files) {
      const value = values.get(variable);
      if (value !== undefined && value !== "") return { name, value, source, path };
    }
    return { name, value: defaults[name] ?? "", source: "default" };
  }

  /** Returns a string setting; `undefined` if it is not set. */
  text(name: string): string | undefined {
    const { value } = this.find(name);
    return value === "" ? undefined : value;
  }

  /**
   * Returns the values of an option that may be repeated. In environment and files, commas separate
   * them.
   */
  list(name: string): readonly string[] {
    const flag = this.#argv[camelCase(name)];
    if (Array.isArray(flag)) return flag.map(String);
    return (this.text(name) ?? "")
      .split(",")
      .flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
  }

  /** Returns where a setting is from, such as `--agent-card`; `undefined` for defaults. */
  sourceOf(name: string): string | undefined {
    const { source, path } = this.find(name);
    if (source === "default") return undefined;
    if (source === "flag") return `--${name}`;
    return path === undefined ? variableOf(name) : `${variableOf(name)} in ${path}`;
  }

  isSet(name: string): boolean {
    return /^(?:true|1|yes)$/i.test(this.find(name).value);
  }

  /** Returns a duration in milliseconds: a number of seconds, or with the unit ms, s, m or h. */
  duration(name: string): number {
    const { value } = this.find(name);
    const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
    if (digits === undefined)
      throw usage(`--${name} cannot be "${value}"`, "Write a duration such as 30s, 5m or 1h");
    const factors: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
    return Number(digits) * (factors[unit] ?? 1);
  }

  /** Returns a positive number. */
  number(name: string): number {
    const value = Number(this.find(name).value);
    if (value > 0) return value;
    throw usage(
      `--${name} must be a number above 0`,
      `Write a number, such as ${defaults[name] ?? "1"}`,
    );
  }

  /** Returns all settings, for `config show`. */
  all(): Setting[] {
    return Object.keys(defaults).map((name) => this.find(name));
  }

  /**
   * Refuses to send the user's credentials to an agent that a file in the project names. Otherwise,
   * a cloned repository could contain such a file to obtain the credentials.
   */
  #refuseForeignAgent(): void {
    const secret = [...secretSettings, "cert"]
      .map((name) => this.find(name))
      // `env:`, `@` and the path of a certificate in the file refer to the user's variables and
      // files.
      .find(
        ({ name, value, source }) =>
          value !== "" && (source !== "file" || name === "cert" || /^(?:env:|@)/.test(value)),
      );
    if (secret === undefined) return;
    const origin = secret.source === "file" ? secret.value.slice(0, 100) : secret.source;
    const reason = `--${secret.name} is from another source (${origin})`;
    this.refuseForeignFile(["agent-card", "insecure", "origin", "oauth-issuer", "cacert"], reason);
  }

  /**
   * Throws if a file in the project contains one of the given settings, because the file may come
   * from a cloned repository.
   */
  refuseForeignFile(names: readonly string[], reason: string): void {
    // The user trusts a file that is passed with --config.
    const isExplicit =
      this.#argv["config"] !== undefined || (this.#env["A2ACLI_CONFIG"] ?? "") !== "";
    const risky = names.map((name) => this.find(name)).find(({ source }) => source === "file");
    if (isExplicit || risky === undefined) return;
    throw usage(
      `${risky.path ?? "a file"} sets ${variableOf(risky.name)}, and ${reason}`,
      `Name the agent with --agent-card, or the file with --config, if you trust it`,
    );
  }
}

function textOf(flag: unknown): string {
  if (Array.isArray(flag)) return flag.join(",");
  return typeof flag === "string" || typeof flag === "number" || typeof flag === "boolean"
    ? String(flag)
    : "";
}

/** Returns the environment variable of an option. */
export function variableOf(name: string): string {
  return `A2ACLI_${name.replaceAll("-", "_").toUpperCase()}`;
}

/**
 * Returns the nearest `.env` file with settings, in a folder or in its parents. The search ends at
 * the root of a repository, at the home folder, and at a file that belongs to another user, because
 * such a file could name an agent that receives the user's messages.
 */
function nearest(
  folder: string,
  limits: { readonly cwd: string; readonly home: string | undefined },
): string | undefined {
  const path = join(folder, ".env");
  if (isFile(path)) {
    if (!isTrusted(path, limits.cwd)) return undefined;
    if (fileAt(path, "file").values.size > 0) return path;
  }
  const above = dirname(folder);
  const isRoot = existsSync(join(folder, ".git")) || folder === limits.home || above === folder;
  return isRoot ? undefined : nearest(above, limits);
}

/**
 * Reads the settings of a file: lines of the form `A2ACLI_NAME=value`. Other lines belong to other
 * programs.
 */
function fileAt(path: string, source: Source): SettingsFile {
  const values = new Map<string, string>();
  for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
    const [, name, value = ""] = /^\s*(?:export\s+)?(A2ACLI_\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const [, , unquoted] = /^(["'])(.*)\1$/.exec(value) ?? [];
    // In quotes, `#` does not begin a comment.
    if (name !== undefined) values.set(name, unquoted ?? value.replace(/\s+#.*$/, ""));
  }
  return { source, path, values };
}
