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

/**
 * Returns the files of outputs with copies that the library also contains: the errors of 1.0, and
 * the models of the latest version, which have the members of 1.0 and further optional members.
 */
export async function filesOfLibrary(generate) {
  const earlier = await generate("1.0");
  const later = await generate("1.1-draft", { aliases: "none" });
  return [
    ...earlier.filter(({ path }) => path === "errors.ts").map(asSource),
    ...later.filter(({ path }) => path === "models.ts" || path.startsWith("models/")),
  ];
}

/** Removes the comment that makes compilers skip a file: in the library, it is a source. */
function asSource({ path, text }) {
  return { path, text: text.replace(/^.*\/\/ @ts-nocheck.*\n/m, "") };
}
