import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser } from "playwright-core";

/** Path of an installed browser, or `undefined` without a browser. */
export function findBrowser(path = process.env["PATH"] ?? ""): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const programs = names.flatMap((name) =>
    path.split(delimiter).map((folder) => join(folder, name)),
  );
  return programs.find(isProgram);
}

function isProgram(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a browser without a window. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({ executablePath });
}
