import type { Enum, Field, Message, Proto, Rpc } from "./protos.js";
import { scalars } from "./protos.js";

/** An edit of a proto that was possible: the proto after it, and the names that a report has to have. */
export interface Edited {
  readonly proto: Proto;
  readonly names: readonly string[];
  /** What the checkers need to know: the types of a field, or a rename. */
  readonly from?: string;
  readonly to?: string;
}

/** Chooses an element by one of the random numbers of an edit. */
type Pick = <T>(from: readonly T[], which?: number) => T | undefined;

type Edit = (proto: Proto, pick: Pick) => Omit<Edited, "proto"> | undefined;

function inMessage(
  isMeant: (field: Field, message: Message, proto: Proto) => boolean,
  change: (field: Field, message: Message, proto: Proto, pick: Pick) => Partial<Omit<Edited, "proto">> | string[],
): Edit {
  return (proto, pick) => {
    const found = proto.messages.flatMap((message) =>
      message.fields.filter((field) => isMeant(field, message, proto)).map((field) => [field, message] as const),
    );
    const [field, message] = pick(found) ?? [];
    if (field === undefined || message === undefined) return undefined;
    const names = [keyOf(field)];
    const more = change(field, message, proto, pick);
    return Array.isArray(more) ? { names: [...names, ...more] } : { names, ...more };
  };
}

/** The key of a field in JSON. */
export function keyOf({ name, jsonName }: Field): string {
  return jsonName ?? name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const always = (): boolean => true;
const isPlain = ({ label, oneof, type }: Field): boolean =>
  label === "" && oneof === undefined && !type.startsWith("map");
const isSingle = ({ label, type }: Field): boolean => label !== "repeated" && !type.startsWith("map");
const isValue = ({ type }: Field, { messages }: Proto): boolean =>
  !type.includes(".") && messages.every(({ name }) => name !== type);
/** The name at the end of a field's type: that of a map's values, or the type itself. */
const namedBy = (type: string): string => /^map<.*, (.*)>$/.exec(type)?.[1] ?? type;
const isUsed = (proto: Proto, name: string): boolean =>
  proto.messages.some(({ fields }) => fields.some(({ type }) => namedBy(type) === name)) ||
  proto.rpcs.some(({ request, response }) => request === name || response === name);

function added(required: boolean): Edit {
  return (proto, pick) => {
    const message = pick(proto.messages);
    const type = pick(scalars, 1) ?? "string";
    message?.fields.push({ name: "added_99x", number: 99, type, label: "", required });
    return message && { names: ["added99x"] };
  };
}

function inEnum(change: (values: Enum["values"], pick: Pick, type: Enum) => readonly string[] | undefined): Edit {
  return (proto, pick) => {
    const type = pick(proto.enums);
    const names = type && change(type.values, pick, type);
    return names && { names };
  };
}

/** What all values of an enum start with. Keys in TypeScript leave it out, as long as all of them have it. */
function prefixOf([first, ...others]: Enum["values"]): string {
  const words = (first?.name ?? "").split("_");
  const isShared = (_: string, index: number): boolean =>
    others.every(({ name }) => name.startsWith(`${words.slice(0, index + 1).join("_")}_`));
  return words
    .filter(isShared)
    .map((word) => `${word}_`)
    .join("");
}

/** The name of the method in TypeScript. */
function methodOf({ name }: Rpc): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function inRpc(change: (rpc: Rpc, proto: Proto, pick: Pick) => readonly string[] | undefined): Edit {
  return (proto, pick) => {
    const rpc = pick(proto.rpcs);
    const names = rpc && change(rpc, proto, pick);
    return names && { names: [methodOf(rpc), ...names] };
  };
}

function retype(field: Field, _: Message, proto: Proto, pick: Pick): { from: string; to: string } {
  const types = [...scalars, ...scalars, ...proto.messages, ...proto.enums, "map<string, bytes>" as const];
  const names = types.map((type) => (typeof type === "string" ? type : type.name));
  const from = field.type;
  const isMap = field.label === "" && field.oneof === undefined;
  const to =
    pick(
      names.filter((type) => type !== from && (isMap || !type.startsWith("map"))),
      1,
    ) ?? from;
  field.type = to;
  return { from, to };
}

function replaceType(proto: Proto, from: string, to: string): void {
  for (const field of proto.messages.flatMap(({ fields }) => fields))
    if (field.type === from) field.type = to;
    else if (namedBy(field.type) === from) field.type = field.type.replace(`, ${from}>`, `, ${to}>`);
  for (const rpc of proto.rpcs) {
    if (rpc.request === from) rpc.request = to;
    if (rpc.response === from) rpc.response = to;
  }
}

function swap(one: { number: number }, other: { number: number }): void {
  [one.number, other.number] = [other.number, one.number];
}

/** Everything that an edit can do. Each of them changes one thing. */
export const edits = {
  "add a field": added(false),
  "add a required field": added(true),
  "remove a field": inMessage(
    (_, { fields }) => fields.length > 1,
    (field, message) => {
      message.fields = message.fields.filter((one) => one !== field);
      return [];
    },
  ),
  "rename a field": inMessage(always, (field) => {
    field.name = "renamed_98x";
    return { from: field.type };
  }),
  "rename a field, but not in JSON": inMessage(always, (field) => {
    const to = keyOf(field) === field.name ? "the same spelling" : "another spelling";
    field.jsonName = keyOf(field);
    field.name = "renamed_98x";
    return { from: field.type, to };
  }),
  "give a field another name in JSON": inMessage(always, (field) => {
    field.jsonName = "renamed98x";
    return ["renamed98x"];
  }),
  "give a field another number": inMessage(always, (field) => {
    field.number = 97;
    return ["97"];
  }),
  "swap the numbers of two fields": inMessage(
    (_, { fields }) => fields.length > 1,
    (field, { fields }, __, pick) => {
      const other = pick(
        fields.filter((one) => one !== field),
        1,
      );
      if (other !== undefined) swap(field, other);
      return [];
    },
  ),
  "use a number again": inMessage(always, (field, message, proto, pick) => {
    const again: Field = { ...field, name: "again_96x" };
    message.fields = message.fields.map((one) => (one === field ? again : one));
    return retype(again, message, proto, pick);
  }),
  "give a field another type": inMessage(always, retype),
  "make a field a list": inMessage(isPlain, (field) => {
    field.label = "repeated";
    return {};
  }),
  "make a list a field": inMessage(
    ({ label }) => label === "repeated",
    (field) => {
      field.label = "";
      return {};
    },
  ),
  "give a field presence": inMessage(
    (field, _, proto) => isPlain(field) && !field.required && isValue(field, proto),
    (field) => {
      field.label = "optional";
      return {};
    },
  ),
  "take presence from a field": inMessage(
    (field, _, proto) => field.label === "optional" && isValue(field, proto),
    (field) => {
      field.label = "";
      return {};
    },
  ),
  "make a field required": inMessage(
    ({ required, oneof }) => !required && oneof === undefined,
    (field) => {
      field.required = true;
      return {};
    },
  ),
  "make a field optional": inMessage(
    ({ required }) => required,
    (field) => {
      field.required = false;
      return {};
    },
  ),
  "move a field into a oneof": inMessage(
    (field) => isSingle(field) && field.oneof === undefined && !field.required,
    (field, { fields }, _, pick) => {
      field.label = "";
      field.oneof =
        pick(
          fields.flatMap(({ oneof }) => oneof ?? []),
          1,
        ) ?? "fresh_choice";
      return {};
    },
  ),
  "move a field out of a oneof": inMessage(
    ({ oneof }) => oneof !== undefined,
    (field) => {
      delete field.oneof;
      return {};
    },
  ),
  "rename a oneof": inMessage(
    ({ oneof }) => oneof !== undefined,
    ({ oneof }, { fields }) => {
      for (const field of fields) if (field.oneof === oneof) field.oneof = "other_choice";
      return { names: ["otherChoice"], from: fields.every((field) => field.oneof !== undefined) ? "all" : "some" };
    },
  ),
  "change the order of fields": (proto, pick) => {
    pick(proto.messages)?.fields.reverse();
    return { names: [] };
  },
  "add a value": inEnum((values) => {
    const name = `${prefixOf(values)}ADDED`;
    values.push({ name, number: 99 });
    return [name];
  }),
  "remove a value": inEnum((values, pick) => {
    const gone = pick(values.slice(1));
    if (gone !== undefined) values.splice(values.indexOf(gone), 1);
    return gone && [gone.name];
  }),
  "rename a value": inEnum((values, pick) => {
    const value = pick(values);
    if (value === undefined) return undefined;
    const { name } = value;
    value.name = `${prefixOf(values)}RENAMED`;
    return [name, value.name];
  }),
  "give a value another number": inEnum((values, pick) => {
    const value = pick(values.slice(1));
    if (value !== undefined) value.number = 98;
    return value && [value.name, "98"];
  }),
  "swap the numbers of two values": inEnum(([, one, other]) => {
    if (one === undefined || other === undefined) return undefined;
    swap(one, other);
    return [one.name, other.name];
  }),
  "change the order of values": inEnum((values) => {
    values.splice(1, values.length, ...values.slice(1).reverse());
    return [];
  }),
  "add an enum": (proto) => {
    proto.enums.push({ name: "Added", values: [{ name: "ADDED_UNSPECIFIED", number: 0 }] });
    return { names: ["Added"] };
  },
  "remove an enum": (proto, pick) => {
    const gone = pick(proto.enums.filter(({ name }) => !isUsed(proto, name)));
    proto.enums = proto.enums.filter((type) => type !== gone);
    return gone && { names: [gone.name] };
  },
  "rename an enum": (proto, pick) => {
    const type = pick(proto.enums);
    if (type === undefined) return undefined;
    const from = type.name;
    replaceType(proto, from, "Renamed");
    type.name = "Renamed";
    return { names: [from, "Renamed"], from, to: "Renamed" };
  },
  "add a message": (proto) => {
    proto.messages.push({ name: "Added", fields: [] });
    return { names: ["Added"] };
  },
  "remove a message": (proto, pick) => {
    const gone = pick(proto.messages.filter(({ name }) => !isUsed(proto, name)));
    proto.messages = proto.messages.filter((type) => type !== gone);
    return gone && { names: [gone.name] };
  },
  "rename a message": (proto, pick) => {
    const message = pick(proto.messages);
    if (message === undefined) return undefined;
    const from = message.name;
    replaceType(proto, from, "Renamed");
    message.name = "Renamed";
    return { names: [from, "Renamed"], from, to: "Renamed" };
  },
  "change the order of everything": (proto) => {
    for (const list of [proto.messages, proto.enums, proto.rpcs]) list.reverse();
    return { names: [] };
  },
  "add an rpc": (proto, pick) => {
    const name = pick(proto.messages)?.name ?? "";
    proto.rpcs.push({ name: "Added", request: name, response: name, stream: false, routes: ["/added"] });
    return { names: ["added"] };
  },
  "remove an rpc": (proto, pick) => {
    const gone = pick(proto.rpcs);
    proto.rpcs = proto.rpcs.filter((rpc) => rpc !== gone);
    return gone && { names: [methodOf(gone)], from: gone.routes.length > 0 ? "routes" : "none" };
  },
  "rename an rpc": inRpc((rpc) => {
    if (rpc.routes.length === 0) return undefined;
    rpc.name = "Renamed";
    return ["renamed"];
  }),
  "give an rpc another request": inRpc((rpc, { messages }, pick) => {
    const other = pick(
      messages.filter(({ name }) => name !== rpc.request),
      1,
    );
    rpc.request = other?.name ?? "";
    return other && [other.name];
  }),
  "give an rpc another response": inRpc((rpc, { messages }, pick) => {
    const other = pick(
      messages.filter(({ name }) => name !== rpc.response),
      1,
    );
    rpc.response = other?.name ?? "";
    return other && [other.name];
  }),
  "stream, or stream no longer": inRpc((rpc) => {
    rpc.stream = !rpc.stream;
    return ["streaming"];
  }),
  "add a route": inRpc((rpc) => {
    rpc.routes.push("/added");
    return ["/added"];
  }),
  "change a route": inRpc((rpc) => {
    const [route] = rpc.routes;
    if (route === undefined) return undefined;
    rpc.routes = ["/changed"];
    return [route, "/changed"];
  }),
  "remove a route": inRpc((rpc) => {
    const [route] = rpc.routes;
    rpc.routes = [];
    return route === undefined ? undefined : [route];
  }),
  "rename the service": (proto) => {
    proto.service = "Renamed";
    return { names: ["Service", "Renamed"] };
  },
} satisfies Readonly<Record<string, Edit>>;

/** The name of an edit. */
export type EditName = keyof typeof edits;

/** Edits a copy of a proto, where the edit is possible. `numbers` choose what is edited, and into what. */
export function edit(proto: Proto, name: EditName, numbers: readonly number[]): Edited | undefined {
  const copy = structuredClone(proto);
  const pick: Pick = (from, which = 0) => from[(numbers[which] ?? 0) % Math.max(from.length, 1)];
  const done = edits[name](copy, pick);
  return done && { proto: copy, ...done };
}
