import type { ts } from "ts-morph";
import type { NameMap } from "./names.js";
import type { OutputTypes } from "./output-types.js";
import type { Restructuring } from "./restructuring.js";
import type { Symbols } from "./symbols.js";
import type { Edit } from "./types.js";

/** What the rules for rewriting share. */
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
  /** Adds an edit, which takes the place of every rename inside it. `from` and `to` are for the report. */
  readonly edit: (edit: Edit, from?: string, to?: string) => void;
  /** Points out code that has to be looked at. */
  readonly notice: (node: ts.Node, message: string) => void;
}

/** A property of an object that is of the output, and the names that it has there: `Message.kind`. */
export interface OwnProperty {
  readonly node: ts.ObjectLiteralElementLike;
  readonly name: string;
  readonly value: ts.Expression | undefined;
  readonly paths: readonly string[];
}
