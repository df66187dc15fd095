export {
  generate,
  generateEach,
  generateInto,
  loadAssets,
  readProtocol,
  specRegistry,
} from "./api.js";
export type { Config, SpecEntry } from "../project/config.js";
export type { Overrides } from "../project/assets.js";
export { InputError, type Diagnostic, type Location } from "../../support/diagnostics.js";
export type { RuntimeImport, RuntimeModule } from "../compiled/runtime-module.js";
export type { Assets, Generated, GenerateOptions, OutputFile } from "../core/contract.js";
export type { BundledSpec, SpecRegistry } from "../input/registry.js";
export type { SpecMatch } from "../input/source.js";
export type { SourceText, SpecSource } from "../input/source.js";
export type { GenerateRequest, GenerateResult, ListedRequest } from "../project/project.js";
export type * from "../protocol/model/types.js";
