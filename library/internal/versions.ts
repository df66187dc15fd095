// Adapters for other versions.
// Only generated code and the tools import this module.

export { adaptedTransport } from "../runtime/versions/adapted-transport.js";
export { clientVersion } from "../runtime/versions/client-version.js";
export type { ConversionFacts } from "../runtime/versions/conversion.js";
export {
  type DirectConversions,
  isPlain,
  listOf,
  type Members,
} from "../runtime/versions/direct.js";
export {
  type Converter,
  type Converters,
  convertersOf,
  type VersionMapping,
} from "../runtime/versions/mapping.js";
export { servedVersion } from "../runtime/versions/served.js";
