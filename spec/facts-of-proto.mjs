import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

const sorted = (object) => Object.entries(object ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
const options = (object) =>
  (object.parsedOptions ?? []).map((option) => JSON.stringify(option)).sort();

/**
 * The interface of a proto as a set of lines, each of which says one fact; two equal sets are one
 * interface.
 */
export function factsOfProto(file) {
  const root = new protobuf.Root();
  const parsed = protobuf.parse(readFileSync(file, "utf8"), root, { keepCase: true });
  const facts = new Set([
    `package ${parsed.package}`,
    ...(parsed.imports ?? []).map((path) => `import ${path}`),
  ]);
  addObject(root, (path, fact) => facts.add(`${path} ${JSON.stringify(fact)}`));
  return facts;
}

function addObject(object, add) {
  if (object instanceof protobuf.Enum) addEnum(object, add);
  else if (object instanceof protobuf.Service) addService(object, add);
  else if (object instanceof protobuf.Type) addMessage(object, add);
  else add(object.fullName, ["namespace", options(object)]);
  for (const nested of object.nestedArray ?? []) addObject(nested, add);
}

function addEnum(object, add) {
  const { fullName, values, reserved = [], valuesOptions } = object;
  add(fullName, ["enum", sorted(values), reserved, options(object), sorted(valuesOptions)]);
}

function addService(object, add) {
  add(object.fullName, ["service", options(object)]);
  for (const method of object.methodsArray) {
    const { requestType, responseType, requestStream = false, responseStream = false } = method;
    add(method.fullName, [
      "rpc",
      requestType,
      responseType,
      requestStream,
      responseStream,
      options(method),
    ]);
  }
}

function addMessage(object, add) {
  add(object.fullName, ["message", object.reserved ?? [], options(object)]);
  for (const field of object.fieldsArray) {
    const { id, type, repeated, keyType = "", partOf } = field;
    const isOptional = field.options?.proto3_optional === true;
    add(field.fullName, [
      "field",
      id,
      type,
      repeated,
      keyType,
      partOf?.name ?? "",
      isOptional,
      options(field),
    ]);
  }
}
