export { all } from "./all.js";
export { artifact, type ArtifactOptions, type ArtifactPiece, type ArtifactWriter } from "./artifact.js";
export { applyEvent } from "./fold.js";
export type * from "./store.js";
export type * from "./turn.js";
export { reply } from "./turn.js";
export * from "./updates.js";
export { facts } from "./facts.js";
