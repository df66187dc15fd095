import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { outRoot } from "./output.js";

/**
 * Gives a test run its own folder below `test/.out`, so that several runs can be active at once,
 * and removes the folders of finished runs.
 */
export default function setup(): () => void {
  mkdirSync(outRoot, { recursive: true });
  for (const name of readdirSync(outRoot).filter((entry) => !isRunning(Number(entry)))) {
    rmSync(join(outRoot, name), { recursive: true, force: true });
  }
  const folder = join(outRoot, String(process.pid));
  mkdirSync(folder, { recursive: true });
  process.env["TEST_OUT"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function isRunning(id: number) {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
