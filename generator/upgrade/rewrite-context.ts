import type { ts } from "ts-morph";
import type { NameMap } from "./names.js";
import type { OutputTypes } from "./output-types.js";
import type { Restructuring } from "./restructuring.js";
import type { Symbols } from "./symbols.js";
import type { Edit } from "./types.js";

/** Dependencies that the rewriting rules share. */
export interface RewriteContext {
  readonly file: ts.SourceFile;
  readonly ts: typeof ts;
  readonly checker: ts.TypeChecker;
  readonly symbols: Symbols;
  readonly types: OutputTypes;
  readonly names: NameMap;
  readonly structure: Restructuring;
  /** Returns the text of a node with its names renamed. */
  readonly textOf: (node: ts.Node) => string;
  /**
   * Adds an edit, which replaces all renames inside its range. The report contains `from` and `to`.
   */
  readonly edit: (edit: Edit, from?: string, to?: string) => void;
  /** Reports code that the user must review. */
  readonly notice: (node: ts.Node, message: string) => void;
}

/**
 * Property of an object whose type the output declares, and the names of the property in the
 * output: `Message.kind`.
 */
export interface OwnProperty {
  readonly node: ts.ObjectLiteralElementLike;
  readonly name: string;
  readonly value: ts.Expression | undefined;
  readonly paths: readonly string[];
}
