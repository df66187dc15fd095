import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";

const options = {
  bundle: true,
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  write: false,
  metafile: true,
  conditions: ["a2a-codegen-source"],
};

/**
 * Writes the page of the inspector into `dist/inspector/`, compressed: a browser can read it so,
 * and the package stays small.
 */
export async function buildInspector(root, dist) {
  const page = join("tools", "inspector", "page");
  const [script, style] = await Promise.all([
    build({
      ...options,
      absWorkingDir: root,
      entryPoints: [join(page, "main.ts")],
      format: "esm",
      platform: "browser",
      target: "es2022",
    }),
    // A target would replace `light-dark()`, whose replacement needs a declaration for each theme.
    build({
      ...options,
      absWorkingDir: root,
      entryPoints: [join(page, "page.css")],
      target: "esnext",
    }),
  ]);
  const files = {
    "index.html": readFileSync(join(root, page, "index.html")),
    "page.js": script.outputFiles[0].contents,
    "page.css": style.outputFiles[0].contents,
  };
  const folder = join(dist, "inspector");
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(folder, `${name}.br`),
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  return script.metafile;
}
