import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Part } from "../agents/index.js";
import type { Run } from "./agent.js";
import { CliError, usage } from "./errors.js";
import { withAgent } from "./task.js";

/** Runs `a2a task download`: writes the parts of all artifacts to files. */
export async function downloadCommand(
  run: Run,
  { id, force = false }: { readonly id: string; readonly force?: boolean | undefined },
): Promise<void> {
  const { output, settings, environment, signal } = run;
  const { value, source, path } = settings.find("dir");
  // A cloned repository could contain the file, and the agent chooses the names and contents of the
  // files.
  if (source === "file")
    throw usage(
      `${path ?? "a file"} sets A2ACLI_DIR`,
      "Pass the folder with --dir, or set A2ACLI_DIR",
    );
  const task = await withAgent(run, ({ client }) =>
    client.getTask({ id, historyLength: 0 }, { signal }),
  );
  // Without --dir, the files of an agent must not mix with files of the user.
  const folder = resolve(environment.cwd, source === "default" ? `task-${plain(id)}` : value);
  const count = (task.artifacts ?? []).reduce((sum, { parts }) => sum + parts.length, 0);
  if (count > maxFiles)
    throw usage(
      `the task has ${count} files, and at most ${maxFiles} are saved`,
      "Read them with `task get -o json`",
    );
  const used = new Map<string, number>();
  const files: { readonly artifactId: string; readonly path: string }[] = [];
  for (const { artifactId, parts } of task.artifacts ?? [])
    for (const [at, part] of parts.entries()) {
      const content = contentOf(part);
      if (content === undefined) {
        output.note(`Note: ${part.url} is not fetched: it may be of any server`);
        continue;
      }
      const name = unused(nameOf(part, `${artifactId}-${at + 1}`), used);
      write(join(folder, name), content, { flag: force ? "w" : "wx" });
      files.push({ artifactId, path: join(folder, name) });
    }
  if (output.isJson) return output.json({ files });
  for (const { path } of files) await output.field("Saved", path);
  await output.field("Files", files.length === 0 ? "none" : files.length);
}

/** Maximum number of files of a task that are saved. */
const maxFiles = 1_000;

function contentOf({ text, data, raw }: Part): Buffer | string | undefined {
  if (text !== undefined) return text;
  if (raw !== undefined) return Buffer.from(raw, "base64");
  return data === undefined ? undefined : `${JSON.stringify(data, null, 2)}\n`;
}

/** Names that Windows reserves for devices. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a name for a part. Agents choose file names, so the result is always a plain name. It
 * contains no folder, does not hide the file, and has no special meaning for a shell or a file
 * system.
 */
function nameOf(part: Part, fallback: string): string {
  const last = (part.filename ?? "").split(/[\\/]/).at(-1) ?? "";
  const name = plain(last);
  if (name !== "" && !reserved.test(name)) return name;
  return (plain(fallback) || "artifact") + extensionOf(part);
}

function extensionOf({ text, data }: Part): string {
  if (text !== undefined) return ".txt";
  return data === undefined ? ".bin" : ".json";
}

/** Returns a name without folders, control characters and characters with a special meaning. */
function plain(name: string): string {
  return (
    name
      // The expressions below take quadratic time for a long name.
      .slice(0, 300)
      .replace(/[^\p{L}\p{N}._ -]/gu, "_")
      .replace(/^[. -]+|[. ]+$/g, "")
      .slice(0, 100)
  );
}

/** Returns a name that no other part has. Names that only differ in case count as equal. */
function unused(name: string, used: Map<string, number>): string {
  const [, stem = name, extension = ""] = /^(.+?)(\.[^.]*)?$/.exec(name) ?? [];
  const key = name.toLowerCase();
  let number = used.get(key) ?? 1;
  let free = name;
  // The number of the last part with this name is kept, because counting from 2 again would take
  // quadratic time.
  while (used.has(free.toLowerCase())) {
    number += 1;
    free = `${stem}-${number}${extension}`;
  }
  used.set(key, number);
  if (free !== name) used.set(free.toLowerCase(), 1);
  return free;
}

/** Writes a file. `wx` also refuses links, which could lead to a file in another folder. */
function write(
  path: string,
  content: Buffer | string,
  options: { readonly flag: "w" | "wx" },
): void {
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(path, content, options);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw new CliError(
      "A2ACLI_ERR_INTERNAL",
      `"${basename(path)}" exists already`,
      "Choose another --dir, or add --force",
    );
  }
}
