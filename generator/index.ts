export { InputError, type Diagnostic, type Place } from "./diagnostics.js";
export { generate, type Assets, type Generated, type GenerateOptions, type OutputFile } from "./generate.js";
export { readProtocol } from "./read-protocol.js";
export { generateInto, specRegistry, type GenerateRequest, type GenerateResult } from "./project.js";
export type { SourceText, SpecSource } from "./input/source.js";
export type * from "./protocol/types.js";
