import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, constants, gzipSync } from "node:zlib";
import { packageFolder } from "../../../support/package-folder.js";

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly encoding?: "br" | "gzip";
}

const types = {
  "index.html": "text/html",
  "page.js": "text/javascript",
  "page.css": "text/css",
} as const;

/**
 * Headers of every response to the page. The page cannot load from other origins, send requests to
 * them, or be framed by them.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    // The page shows images and files of agents from memory, after checking their types.
    "img-src 'self' blob: data:",
    "media-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/**
 * Returns a file of the page in an encoding that the browser accepts, or `undefined` if the page
 * has no such file. The package contains compressed files.
 */
export function findAsset(path: string, accepted: string): Asset | undefined {
  const name = path === "" ? "index.html" : path;
  if (name !== "index.html" && name !== "page.js" && name !== "page.css") return undefined;
  const type = `${types[name]}; charset=utf-8`;
  const body = readFileSync(join(packageFolder, "dist", "inspector", `${name}.br`));
  if (/\bbr\b/.test(accepted)) return { type, body, encoding: "br" };
  const plain = brotliDecompressSync(body);
  if (!/\bgzip\b/.test(accepted)) return { type, body: plain };
  return { type, body: gzipSync(plain, { level: constants.Z_BEST_SPEED }), encoding: "gzip" };
}
