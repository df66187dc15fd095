import type {
  BindingDef,
  FieldDef,
  LegacyDef,
  OperationDef,
  Protocol,
  RestDef,
  TasksDef,
  TypeDef,
  TypeRef,
  ValueType,
  WireDef,
  WireFieldDef,
} from "../model/types.js";

/** Returns the new name of an element by its previous name. */
export type Rename = (name: string) => string;

/** New names for all elements that a protocol refers to by name. */
export interface Renames {
  readonly types: Rename;
  /**
   * New names for messages and enums of the proto. If the model is the ProtoJSON of the proto,
   * these are the names of the types.
   */
  readonly wire: Rename;
  readonly errors: Rename;
}

/** Replaces the names of types and errors in all parts of a protocol. */
export function renameAll(protocol: Protocol, renames: Renames): Protocol {
  const { types, errors } = renames;
  const { wire, binding } = protocol;
  return {
    ...protocol,
    types: protocol.types.map((type) => renameType(type, types)),
    subjects: new Map([...protocol.subjects].map(([name, subject]) => [types(name), subject])),
    ...(wire && { wire: renameWire(wire, renames) }),
    operations: protocol.operations.map((operation) => renameOperation(operation, renames)),
    losses: protocol.losses.map((loss) => ({ ...loss, type: types(loss.type) })),
    legacy: protocol.legacy.map((entry) => renameLegacy(entry, renames)),
    ...(binding && { binding: renameBinding(binding, types, errors) }),
  };
}

function renameType(type: TypeDef, rename: Rename): TypeDef {
  const name = rename(type.name);
  switch (type.kind) {
    case "enum":
      return { ...type, name };
    case "union":
      return { ...type, name, members: type.members.map((member) => renameValue(member, rename)) };
    case "alias":
      return { ...type, name, type: renameValue(type.type, rename) };
    case "message": {
      const fields = type.fields.map((field): FieldDef => ({
        ...field,
        type: renameValue(field.type, rename),
      }));
      return { ...type, name, fields, ...(type.rest && { rest: renameRest(type.rest, rename) }) };
    }
  }
}

function renameRest({ patterns, others, names, ...rest }: RestDef, rename: Rename): RestDef {
  return {
    ...rest,
    patterns: patterns.map(({ pattern, type }) => ({ pattern, type: renameValue(type, rename) })),
    ...(others && { others: renameValue(others, rename) }),
    ...(names && { names: renameValue(names, rename) }),
  };
}

function renameValue(type: ValueType, rename: Rename): ValueType {
  switch (type.kind) {
    case "message":
    case "enum":
    case "union":
    case "alias":
      return { ...type, name: rename(type.name) };
    case "list":
      return { ...type, element: renameValue(type.element, rename) };
    case "map":
      return { ...type, value: renameValue(type.value, rename) };
    case "anyOf":
    case "oneOf":
    case "allOf":
      return { ...type, members: type.members.map((member) => renameValue(member, rename)) };
    case "not":
      return { ...type, type: renameValue(type.type, rename) };
    case "if": {
      const [test, then, otherwise] = [type.test, type.then, type.otherwise] as const;
      const part = (value: ValueType): ValueType => renameValue(value, rename);
      return { ...type, test: part(test), then: part(then), otherwise: part(otherwise) };
    }
    default:
      return type;
  }
}

function renameWire({ messages, enums, ...wire }: WireDef, renames: Renames): WireDef {
  const field = ({ mapping, ...rest }: WireFieldDef): WireFieldDef => ({
    ...rest,
    type: renameValue(rest.type, renames.wire),
    mapping:
      mapping.kind === "path"
        ? { ...mapping, type: renameValue(mapping.type, renames.types) }
        : mapping,
  });
  return {
    ...wire,
    messages: messages.map((message) => ({
      ...message,
      name: renames.wire(message.name),
      model: renameValue(message.model, renames.types),
      fields: message.fields.map(field),
    })),
    enums: enums.map((type) => ({
      ...type,
      name: renames.wire(type.name),
      model: renames.types(type.model),
    })),
  };
}

function renameOperation(operation: OperationDef, { types, wire, errors }: Renames): OperationDef {
  const { rpc, requires, fieldRequires, missing, lookups, errors: thrown } = operation;
  const ref = (one: TypeRef): TypeRef =>
    one.kind === "named" ? { ...one, name: types(one.name) } : one;
  return {
    ...operation,
    request: ref(operation.request),
    response: ref(operation.response),
    ...(rpc && {
      rpc: {
        ...rpc,
        ...(rpc.request !== undefined && { request: wire(rpc.request) }),
        ...(rpc.response !== undefined && { response: wire(rpc.response) }),
      },
    }),
    ...(requires && { requires: { ...requires, error: errors(requires.error) } }),
    ...(fieldRequires && {
      fieldRequires: fieldRequires.map((requirement) => ({
        ...requirement,
        error: errors(requirement.error),
      })),
    }),
    ...(lookups && {
      lookups: lookups.map((lookup) => ({ ...lookup, error: errors(lookup.error) })),
    }),
    ...(missing !== undefined && { missing: errors(missing) }),
    ...(thrown && { errors: thrown.map((entry) => ({ ...entry, error: errors(entry.error) })) }),
  };
}

/** Renames the target of an old name: a type, an error, or a member of a type. */
function renameLegacy(entry: LegacyDef, { types, errors }: Renames): LegacyDef {
  const { kind, now, type } = entry;
  const dot = now.indexOf(".");
  const member = (): string => types(now.slice(0, dot)) + now.slice(dot);
  const renamed = {
    types,
    errors,
    methods: (name: string) => name,
    properties: member,
    keys: member,
    values: member,
  };
  return { ...entry, now: renamed[kind](now), ...(type !== undefined && { type: types(type) }) };
}

function renameTasks(tasks: TasksDef, types: Rename, errors: Rename): TasksDef {
  const { mismatch } = tasks;
  return {
    ...tasks,
    types: tasks.types.map(types),
    ...(mismatch !== undefined && { mismatch: errors(mismatch) }),
  };
}

function renameBinding(binding: BindingDef, types: Rename, errors: Rename): BindingDef {
  const roles = Object.entries(binding.errorRoles).map(
    ([role, name]) => [role, errors(name)] as const,
  );
  return {
    ...binding,
    ...(binding.card !== undefined && {
      card: { ...binding.card, type: types(binding.card.type) },
    }),
    ...(binding.webhook !== undefined && { webhook: types(binding.webhook) }),
    ...(binding.tasks !== undefined && { tasks: renameTasks(binding.tasks, types, errors) }),
    errors: binding.errors.map((error) => ({ ...error, name: errors(error.name) })),
    errorRoles: Object.fromEntries(roles),
  };
}
