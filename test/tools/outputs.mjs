/**
 * The folders of generated/. 1.0 is there as users get it, with an adapter for 0.3, because the
 * tools contain its client. Tests generate versions that are missing here when they need them.
 */
export const outputs = [
  { folder: "1.0", spec: "1.0", aliases: "none", versions: ["0.3.0"] },
  ...["0.3.0", "0.4-draft", "1.1-draft"].map((version) => ({
    folder: version,
    spec: version,
    aliases: "all",
  })),
];
