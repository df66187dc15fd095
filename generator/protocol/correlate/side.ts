import type { Location } from "../../../support/diagnostics.js";
import type { TypeDef } from "../model/types.js";

/** One of the two sources: its types, and the locations of their declarations. */
export interface Side {
  readonly types: readonly TypeDef[];
  /** Returns the location of a type, given by its full name, or of one of its members. */
  readonly locationOf: (fullName: string, ...members: readonly string[]) => Location | undefined;
}
