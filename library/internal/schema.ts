// Schemas and predicates of validators.
// Only generated code and the tools import this module.

export { anyMessage, type MessageTypes } from "../runtime/schema/any-type.js";
export * from "../runtime/schema/constraints.js";
export * from "../runtime/schema/message.js";
export {
  check,
  errorOf,
  type Issue,
  issuesOf,
  parse,
  type Schema,
  type Type,
  type Validation,
  ValidationError,
} from "../runtime/schema/schema.js";
export * from "../runtime/schema/shapes.js";
export * from "../runtime/schema/types.js";
