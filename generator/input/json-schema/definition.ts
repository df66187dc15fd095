import type { Location } from "../../../support/diagnostics.js";
import type { JsonNode } from "./json.js";

/** A definition of a schema. Its location is the location of its name. */
export interface Definition {
  readonly name: string;
  readonly location: Location;
  readonly node: JsonNode;
}
