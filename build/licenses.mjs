import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

function licenseOf({ folder, name, version, license }) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  return `${name} ${version} (${license})${text}\n`;
}

/** Writes the licenses of the bundled packages into a file, as the licenses require. */
export function writeLicenses(packages, path) {
  const texts = packages.map(licenseOf);
  writeFileSync(
    path,
    `The bundle holds code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`,
  );
}
