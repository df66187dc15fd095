import { mkdirSync, rmSync } from "node:fs";
import { outFolder } from "./output.js";

/** Tests write below `test/.out`, which starts empty. */
export default function setup(): void {
  rmSync(outFolder, { recursive: true, force: true });
  mkdirSync(outFolder, { recursive: true });
}
