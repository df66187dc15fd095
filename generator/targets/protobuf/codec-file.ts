import type { Imports, Uses } from "../../emit/imports.js";
import { runtimeNamespaces } from "../../emit/runtime-modules.js";
import type { Protocol, WireDef } from "../../protocol/model/types.js";
import type { Models } from "./model.js";
import type { CodecNames } from "./names.js";

/** The data that the parts of the codec share. */
export interface CodecFile {
  readonly imports: Imports;
  readonly names: CodecNames;
  readonly models: Models;
  readonly wire: WireDef;
  readonly protocol: Protocol;
}

/**
 * Begins a part of the file, and imports the runtime, because every part calls functions of the
 * runtime.
 */
export function startPart({ imports }: CodecFile): Uses {
  const uses = imports.startPart();
  imports.namespace(runtimeNamespaces.wire);
  return uses;
}

/** Returns the beginning of a declaration, which is exported if another file imports it. */
export function keywordFor(isShared: boolean): "export " | "" {
  return isShared ? "export " : "";
}
