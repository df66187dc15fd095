import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Folder for packages and builds that are kept between runs, outside of the repository. */
const cache = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "a2a-codegen",
  "interop",
);

/**
 * Installs an SDK or a framework if necessary and returns how to start its program. Throws an
 * error that names missing tools.
 */
export async function install(entry, path = process.env.PATH ?? "") {
  const { name, needs, install: fill, isRelease = false } = entry;
  const missing = needs.filter(
    (program) => !path.split(delimiter).some((folder) => existsSync(join(folder, program))),
  );
  if (missing.length > 0) throw new Error(`${missing.join(" and ")} cannot be found in the PATH`);
  const own = isRelease ? `${name} release` : name;
  const folder = join(cache, own.toLowerCase().replaceAll(" ", "-"));
  mkdirSync(folder, { recursive: true });
  return await fill(folder);
}

/** Installs packages from PyPI into a folder, and returns the path of its Python. */
export async function installPython(folder, packages) {
  const program = join(folder, "bin", "python");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  await once(folder, packages.join(" "), async () => {
    await run("python3", ["-m", "venv", folder]);
    await run(program, [...pip, ...packages]);
  });
  return program;
}

/** Installs packages from npm into a folder. */
export async function installNode(folder, packages) {
  const options = ["--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts"];
  await once(folder, packages.join(" "), () => run("npm", ["install", ...options, ...packages]));
}

/** Installs a version of Node from npm, and returns the path of its program. */
export async function installNodeRuntime(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(cache, `node-${version}`);
  await installNode(folder, [`${name}@${version}`]);
  return join(folder, "node_modules", name, "bin", "node");
}

/** Empties a folder and fills it, unless that has been done before from the same list. */
export async function once(folder, list, fill) {
  const mark = join(folder, ".installed");
  if (existsSync(mark) && readFileSync(mark, "utf8") === list) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await fill();
  writeFileSync(mark, list);
}

/** Runs a program to its end. Throws the last lines of its output if it fails. */
export async function run(program, args, options = {}) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (printed = (printed + text).slice(-2000)));
  }
  const code = await new Promise((resolve, reject) =>
    child.once("error", reject).once("exit", resolve),
  );
  if (code !== 0) throw new Error(`${program} ${args[0]} fails: ${printed.trim()}`);
}
