import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the package URL of a version of an npm package. */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/**
 * Converts a license to the format of CycloneDX: an SPDX identifier, or an expression with several
 * identifiers.
 */
function licensesOf({ license }) {
  if (typeof license !== "string") return [];
  return [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }];
}

function componentOf(bundled) {
  const { name, version } = bundled;
  const purl = purlOf(bundled);
  return { type: "library", "bom-ref": purl, name, version, licenses: licensesOf(bundled), purl };
}

/**
 * Writes the software bill of materials of the bundle in CycloneDX format, because bundled packages
 * are not dependencies that an audit of a project would find. The file has no time and no serial
 * number, so equal builds have equal files.
 */
export function writeSbom(root, packages, path) {
  const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const component = { ...componentOf(own), type: "application" };
  const components = packages.map(componentOf).sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const dependencies = [
    { ref: component["bom-ref"], dependsOn: components.map(({ purl }) => purl) },
  ];
  const bom = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component },
    components,
    dependencies,
  };
  writeFileSync(path, `${JSON.stringify(bom, null, 2)}\n`);
}
