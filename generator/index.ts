export { generate, generateEach, generateInto, readProtocol, specRegistry } from "./api.js";
export { loadAssets, type Overrides } from "./assets.js";
export { InputError, type Diagnostic, type Place } from "./diagnostics.js";
export type { Assets, Generated, GenerateOptions, OutputFile } from "./generate.js";
export type { BundledSpec, SpecRegistry } from "./input/registry.js";
export type { SourceText, SpecSource } from "./input/source.js";
export type { GenerateRequest, GenerateResult, ListedRequest } from "./project.js";
export type * from "./protocol/types.js";
