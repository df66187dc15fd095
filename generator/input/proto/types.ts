import protobuf from "protobufjs";
import { fullNameOf } from "./parsed-names.js";
import { findWellKnown, isScalar } from "./known.js";
import { isType, type ProtoType, type TypeResolver, type TypeUser } from "./resolve.js";

/** Returns all messages and enums of a namespace, each before its nested types. */
export function typesIn(namespace: protobuf.NamespaceBase): ProtoType[] {
  return namespace.nestedArray.flatMap((nested) => [
    ...(isType(nested) ? [nested] : []),
    ...(nested instanceof protobuf.Namespace ? typesIn(nested) : []),
  ]);
}

/** Returns all services of a namespace and of its nested namespaces. */
export function servicesIn(namespace: protobuf.NamespaceBase): protobuf.Service[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (nested instanceof protobuf.Service) return [nested];
    return nested instanceof protobuf.Namespace && !(nested instanceof protobuf.Type)
      ? servicesIn(nested)
      : [];
  });
}

/**
 * Returns types, followed by the types that they and the services refer to, but that no file of the
 * specification declares. A well-known type is only included if a service refers to it, because a
 * field of such a type contains a plain value.
 */
export function withUsed(
  declared: readonly ProtoType[],
  services: readonly protobuf.Service[],
  resolver: TypeResolver,
): ProtoType[] {
  const found = new Set(declared);
  const addFrom = (name: string, user: TypeUser, isMeant: (fullName: string) => boolean): void => {
    const type = isScalar(name) ? undefined : resolver.find(name, user);
    if (type !== undefined && isMeant(fullNameOf(type))) found.add(type);
  };
  for (const method of services.flatMap(({ methodsArray }) => methodsArray)) {
    for (const name of [method.requestType, method.responseType])
      addFrom(name, method, (fullName) => fullName !== "google.protobuf.Empty");
  }
  // Iterating over a set includes the elements that are added during the iteration.
  for (const type of found) {
    const fields = type instanceof protobuf.Type ? fieldsOf(type) : [];
    for (const field of fields)
      addFrom(field.type, field, (fullName) => findWellKnown(fullName) === undefined);
  }
  return [...found];
}

/** Returns the fields that a message declares, without extension fields from other files. */
export function fieldsOf(type: protobuf.Type): protobuf.Field[] {
  return type.fieldsArray.filter(({ declaringField }) => !declaringField);
}
