import fc from "../../../support/properties.js";
import protobuf from "protobufjs";

/** A field of a made-up message. The type is a scalar, a message, an enum, or a map. */
export interface Field {
  name: string;
  number: number;
  type: string;
  label: "" | "optional" | "repeated";
  required: boolean;
  jsonName?: string;
  oneof?: string;
}

export interface Message {
  name: string;
  fields: Field[];
}

export interface Enum {
  name: string;
  values: { name: string; number: number }[];
}

export interface Rpc {
  name: string;
  request: string;
  response: string;
  stream: boolean;
  routes: string[];
}

/** A proto, as far as edits change it. */
export interface Proto {
  messages: Message[];
  enums: Enum[];
  service: string;
  rpcs: Rpc[];
}

/** The numeric types, and what else a scalar can be. */
export const scalars = [
  "double",
  "float",
  "int32",
  "int64",
  "uint32",
  "uint64",
  "sint32",
  "sint64",
  "fixed32",
  "fixed64",
  "sfixed32",
  "sfixed64",
  "bool",
  "string",
  "bytes",
] as const;

const wellKnown = ["empty", "struct", "timestamp"].map(
  (name) => `import "google/protobuf/${name}.proto";`,
);
const options = [
  'import "google/api/annotations.proto";',
  'import "google/api/field_behavior.proto";',
];

/** Writes a proto as text; `bare` leaves out the options of others and their imports. */
export function render(
  { messages, enums, service, rpcs }: Proto,
  name: string,
  bare = false,
): string {
  const methods = rpcs.map(({ name: rpc, request, response, stream, routes }) => {
    const [route, ...others] = routes;
    const more = others
      .map((path) => ` additional_bindings { post: "${path}" body: "*" }`)
      .join("");
    const http = `option (google.api.http) = { post: "${route ?? ""}" body: "*"${more} };`;
    const option = route === undefined || bare ? "" : ` ${http}`;
    return `  rpc ${rpc}(${request}) returns (${stream ? "stream " : ""}${response}) {${option} }`;
  });
  return [
    'syntax = "proto3";',
    `package ${name};`,
    ...wellKnown,
    ...(bare ? [] : options),
    ...messages.map(
      (message) => `message ${message.name} {\n${membersOf(message, bare).join("\n")}\n}`,
    ),
    ...enums.map(({ name: type, values }) => {
      return `enum ${type} {\n${values.map((value) => `  ${value.name} = ${value.number};`).join("\n")}\n}`;
    }),
    `service ${service} {\n${methods.join("\n")}\n}`,
    "",
  ].join("\n");
}

function membersOf({ fields }: Message, bare: boolean) {
  const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  return [
    ...fields
      .filter(({ oneof }) => oneof === undefined)
      .map((field) => `  ${fieldText(field, bare)}`),
    ...oneofs.map((oneof) => {
      const members = fields
        .filter((field) => field.oneof === oneof)
        .map((field) => `    ${fieldText(field, bare)}`);
      return `  oneof ${oneof} {\n${members.join("\n")}\n  }`;
    }),
  ];
}

function fieldText({ name, number, type, label, required, jsonName }: Field, bare: boolean) {
  const said = [
    ...(required && !bare ? ["(google.api.field_behavior) = REQUIRED"] : []),
    ...(jsonName === undefined ? [] : [`json_name = "${jsonName}"`]),
  ];
  return `${label === "" ? "" : `${label} `}${type} ${name} = ${number}${said.length > 0 ? ` [${said.join(", ")}]` : ""};`;
}

/** Reads a published proto, as far as edits change it. The routes are made up. */
export function protoOf(text: string): Proto {
  const { root } = protobuf.parse(text, { keepCase: true });
  const types = root.nestedArray.flatMap(inside);
  const [service] = types.filter((type) => type instanceof protobuf.Service);
  return {
    messages: types.flatMap((type) => (type instanceof protobuf.Type ? [messageOf(type)] : [])),
    enums: types.flatMap((type) => {
      if (!(type instanceof protobuf.Enum)) return [];
      return [
        {
          name: type.name,
          values: Object.entries(type.values).map(([name, number]) => ({ name, number })),
        },
      ];
    }),
    service: service?.name ?? "Service",
    rpcs: (service?.methodsArray ?? []).map(
      ({ name, requestType, responseType, responseStream }, index) => {
        const stream = responseStream === true;
        return {
          name,
          request: requestType,
          response: responseType,
          stream,
          routes: [`/calls/${index}`],
        };
      },
    ),
  };
}

function inside(one: protobuf.ReflectionObject): protobuf.ReflectionObject[] {
  const isPackage = one instanceof protobuf.Namespace && !(one instanceof protobuf.Type);
  return isPackage && !(one instanceof protobuf.Service) ? one.nestedArray.flatMap(inside) : [one];
}

function messageOf({ name, fieldsArray }: protobuf.Type): Message {
  const fields = fieldsArray.map((field): Field => {
    const said = field.options ?? {};
    const isOptional = said["proto3_optional"] === true;
    const oneof = isOptional ? undefined : field.partOf?.name;
    const plain: Field = {
      name: field.name,
      number: field.id,
      type:
        field instanceof protobuf.MapField ? `map<${field.keyType}, ${field.type}>` : field.type,
      label: field.repeated ? "repeated" : isOptional ? "optional" : "",
      required: said["(google.api.field_behavior)"] === "REQUIRED",
    };
    const jsonName: unknown = said["json_name"];
    return {
      ...plain,
      ...(oneof !== undefined && { oneof }),
      ...(typeof jsonName === "string" && { jsonName }),
    };
  });
  return { name, fields };
}

/** Random protos with unique names, so that a type is identified by its fields. */
export const protos: fc.Arbitrary<Proto> = fc
  .record({
    messages: fc.array(
      fc.array(fc.record({ pick: fc.nat(99), oneof: fc.nat(5) }), { minLength: 1, maxLength: 6 }),
      {
        minLength: 2,
        maxLength: 4,
      },
    ),
    enums: fc.array(fc.integer({ min: 3, max: 5 }), { minLength: 1, maxLength: 2 }),
    rpcs: fc.array(
      fc.record({
        request: fc.nat(9),
        response: fc.nat(9),
        stream: fc.boolean(),
        route: fc.boolean(),
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  })
  .map(({ messages, enums, rpcs }): Proto => {
    const names = messages.map((_, index) => `Message${index}`);
    const types = enums.map((_, index) => `Enum${index}`);
    const at = (index: number) => names[index % names.length] ?? "";
    return {
      messages: messages.map((fields, index) => ({
        name: at(index),
        fields: fieldsOf(index, fields, names, types),
      })),
      enums: enums.map((count, index) => enumOf(types[index] ?? "", index, count)),
      service: "Service",
      rpcs: rpcs.map(({ request, response, stream, route }, index) => ({
        name: `Call${index}`,
        request: at(request),
        response: at(response),
        stream,
        routes: route ? [`/calls/${index}`] : [],
      })),
    };
  });

function fieldsOf(
  message: number,
  picks: readonly { readonly pick: number; readonly oneof: number }[],
  names: readonly string[],
  types: readonly string[],
): Field[] {
  return picks.map(({ pick, oneof }, index): Field => {
    const all = [
      ...scalars,
      ...scalars,
      ...names,
      ...types,
      "map<string, string>",
      "map<int32, bool>",
    ];
    const type = all[pick % all.length] ?? "string";
    const isMap = type.startsWith("map");
    const name = `${["note", "size", "mood", "lid"][pick % 4] ?? ""}_${message}${index}x`;
    const plain: Field = { name, number: index * 2 + 1, type, label: "", required: false };
    if (oneof === 0 && !isMap) return { ...plain, oneof: `choice_${message}` };
    if (oneof === 1 && !isMap) return { ...plain, label: "repeated" };
    if (oneof === 2 && !isMap) return { ...plain, label: "optional" };
    return { ...plain, required: oneof === 3 };
  });
}

function enumOf(name: string, index: number, count: number): Enum {
  const values = Array.from({ length: count }, (_, number) => {
    return {
      name: `ENUM${index}_${["UNSPECIFIED", "GOOD", "BAD", "ODD", "EVEN"][number] ?? ""}`,
      number,
    };
  });
  return { name, values };
}
