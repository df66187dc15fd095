import { Diagnostics } from "../../support/diagnostics.js";
import type { SourceText } from "./source-text.js";

/** Names of the files and folders of outputs, which no folder of a package may have. */
const outputEntries: ReadonlySet<string> = new Set(
  (
    "bridges client codecs docs errors extensions facts index kit legacy legacy-protobuf models " +
    "node_modules operations protobuf protojson runtime server validators versions"
  ).split(" "),
);

/** Names that Windows reserves for devices. */
const deviceName = /^(?:aux|com\d|con|lpt\d|nul|prn)$/i;

/**
 * Returns the folder of a package below the folder of its run: `shop/v1` for `shop.v1`. A name that
 * is also the name of a file or folder in an output gets an underscore: `shop/client_` for
 * `shop.client`.
 */
export function folderOf(packageName: string): string {
  const names = packageName.split(".").map((name) => {
    const isTaken = outputEntries.has(name.toLowerCase()) || deviceName.test(name);
    return isTaken ? `${name}_` : name;
  });
  return names.join("/");
}

/**
 * Throws an `InputError` if the folders of two packages only differ in their case, because many
 * file systems ignore it. `protoOf` returns a proto of a package.
 */
export function checkFolders(
  packages: readonly string[],
  protoOf: (packageName: string) => SourceText | undefined,
): void {
  const diagnostics = new Diagnostics();
  const owners = new Map<string, string>();
  for (const name of packages) {
    const key = folderOf(name).toLowerCase();
    const owner = owners.get(key);
    owners.set(key, name);
    if (owner === undefined) continue;
    const [file, other] = [name, owner].map((each) => protoOf(each)?.file ?? "");
    diagnostics.add(
      { file: file ?? "" },
      `the package ${name} would have the same folder as ${owner} in ${other ?? ""}, on disks ` +
        "that ignore case",
      "Rename one of the packages, or generate them with separate runs",
    );
  }
  diagnostics.throwIfAny();
}
