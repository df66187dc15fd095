// Proves that every bundled proto and JSON Schema has exactly the interface of its published
// counterpart, where that is at hand: names, numbers, types, labels and options of a proto,
// keywords and values of a schema (except for descriptions), whatever the order of definitions,
// fields and keys. `npm run spec:check [FOLDER]`, where FOLDER holds the published ones, by
// version.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { factsOfProto } from "./facts-of-proto.mjs";
import { factsOfSchema } from "./facts-of-schema.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const published = process.argv[2] ?? join(folder, "..", "..", "shared", "spec");
const readers = { "a2a.proto": factsOfProto, "a2a.json": factsOfSchema };

/**
 * The folder that holds the published version: `v0.3.0` for `0.3.0`, and the newest `v1.0.x` for
 * `1.0`.
 */
function counterpart(id) {
  const patches = readdirSync(published)
    .filter((name) => name.startsWith(`v${id}.`) && /^\d+$/.test(name.slice(id.length + 2)))
    .sort((a, b) => Number(b.slice(id.length + 2)) - Number(a.slice(id.length + 2)));
  return existsSync(join(published, `v${id}`)) ? `v${id}` : (patches[0] ?? `v${id}`);
}

/**
 * Compares a file with its counterpart, prints what came out, and returns whether they have the
 * same interface.
 */
function isSame(id, name, file) {
  const [ours, theirs] = [join(folder, id, file), join(published, name, file)];
  const absent = [ours, theirs].find((path) => !existsSync(path));
  if (absent) {
    console.log(
      `spec/${id}/${file}: cannot be compared, there is no ${relative(process.cwd(), absent)}`,
    );
    return false;
  }
  const [a, b] = [readers[file](ours), readers[file](theirs)];
  const extra = [...a].filter((fact) => !b.has(fact)).map((fact) => `  only in ours:      ${fact}`);
  const lacking = [...b]
    .filter((fact) => !a.has(fact))
    .map((fact) => `  only in published: ${fact}`);
  const differences = [...extra, ...lacking];
  console.log(
    `spec/${id}/${file}: ${differences.length === 0 ? `the interface of ${name}, ${a.size} facts` : "differs"}`,
  );
  for (const line of differences) console.log(line);
  return differences.length === 0;
}

/** Checks the files of a bundled version, and returns whether all of them are as published. */
function isPublished(id) {
  const isBundled = (file) => existsSync(join(folder, id, file));
  const files = Object.keys(readers);
  // A version may stand on the files of another one, and have none of its own.
  if (!files.some(isBundled)) return true;
  const name = counterpart(id);
  const toCompare = files.filter(
    (file) => isBundled(file) || existsSync(join(published, name, file)),
  );
  return toCompare.map((file) => isSame(id, name, file)).every(Boolean);
}

if (existsSync(published)) {
  const ids = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  process.exitCode = ids.map((entry) => isPublished(entry.name)).every(Boolean) ? 0 : 1;
} else {
  console.log(
    `nothing compared: the published interfaces are not at ${relative(process.cwd(), published)}`,
  );
  // Without them at hand there is nothing to prove; a folder that was asked for has to be there.
  process.exitCode = process.argv[2] === undefined ? 0 : 1;
}
