import fc from "./properties.js";
import type { Protocol } from "../../generator/protocol/model/types.js";
import { changed } from "../oracle/json.js";
import { ProtoValues } from "../oracle/proto-values.js";
import { Random } from "../oracle/random.js";

const randoms = fc.integer().map((seed) => new Random(seed));

/** Makes random values of the types of a specification whose JSON is ProtoJSON. */
export function arbitraries(protocol: Protocol): (name: string) => fc.Arbitrary<unknown> {
  const values = new ProtoValues(protocol);
  return (name) => randoms.map((random) => values.of(name, random));
}

/** Makes documents with one or two things changed. */
export function mutated(documents: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(documents, randoms).map(([document, random]) => changed(document, random));
}
