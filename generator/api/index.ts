export { generate, generateEach, generateInto, readProtocol, specRegistry } from "./api.js";
export { loadAssets, type Overrides } from "../project/assets.js";
export { InputError, type Diagnostic, type Place } from "../support/diagnostics.js";
export type { Assets, Generated, GenerateOptions, OutputFile } from "../core/contract.js";
export type { BundledSpec, SpecRegistry } from "../input/registry.js";
export type { SourceText, SpecSource } from "../input/source.js";
export type { GenerateRequest, GenerateResult, ListedRequest } from "../project/project.js";
export type * from "../protocol/model/types.js";
