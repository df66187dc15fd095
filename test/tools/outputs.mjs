/**
 * The folders of generated/. 1.0 is there as users get it in both modes; the other versions import the library. The
 * build bundles the client of `1.0-package` for the inspector, with its adapter for 0.3. Tests generate versions that
 * are missing here when they need them.
 */
export const outputs = [
  { folder: "1.0", spec: "1.0", runtime: "copy", aliases: "all" },
  { folder: "1.0-package", spec: "1.0", runtime: "package", aliases: "none", versions: ["0.3.0"] },
  ...["0.3.0", "0.4-draft", "1.1-draft"].map((version) => ({
    folder: version,
    spec: version,
    runtime: "package",
    aliases: "all",
  })),
];
