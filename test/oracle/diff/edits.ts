import {
  isPlain,
  isSingle,
  isValue,
  always,
  inMessage,
  added,
  inEnum,
  prefixOf,
  methodOf,
  inRpc,
  retargeted,
  removed,
  renamed,
  retype,
  swap,
  set,
  keyOf,
  type Edit,
  type Edited,
  type Pick,
} from "../../unit/generator/diff/edit-makers.js";
import type { Field, Proto } from "../../unit/generator/diff/protos.js";

export type { Edited } from "../../unit/generator/diff/edit-makers.js";

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
  "make a field a list": set(isPlain, { label: "repeated" }),
  "make a list a field": set(({ label }) => label === "repeated", { label: "" }),
  "give a field presence": set(
    (field, _, proto) => isPlain(field) && !field.required && isValue(field, proto),
    {
      label: "optional",
    },
  ),
  "take presence from a field": set(
    (field, _, proto) => field.label === "optional" && isValue(field, proto),
    {
      label: "",
    },
  ),
  "make a field required": set(({ required, oneof }) => !required && oneof === undefined, {
    required: true,
  }),
  "make a field optional": set(({ required }) => required, { required: false }),
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
      return {
        names: ["otherChoice"],
        from: fields.every((field) => field.oneof !== undefined) ? "all" : "some",
      };
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
  "remove an enum": removed("enums"),
  "rename an enum": renamed("enums"),
  "add a message": (proto) => {
    proto.messages.push({ name: "Added", fields: [] });
    return { names: ["Added"] };
  },
  "remove a message": removed("messages"),
  "rename a message": renamed("messages"),
  "change the order of everything": (proto) => {
    for (const list of [proto.messages, proto.enums, proto.rpcs]) list.reverse();
    return { names: [] };
  },
  "add an rpc": (proto, pick) => {
    const name = pick(proto.messages)?.name ?? "";
    proto.rpcs.push({
      name: "Added",
      request: name,
      response: name,
      stream: false,
      routes: ["/added"],
    });
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
  "give an rpc another request": retargeted("request"),
  "give an rpc another response": retargeted("response"),
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

/**
 * Edits a copy of a proto, if possible. `numbers` select the edited declaration and its new form.
 */
export function edit(proto: Proto, name: EditName, numbers: readonly number[]): Edited | undefined {
  const copy = structuredClone(proto);
  const pick: Pick = (from, which = 0) => from[(numbers[which] ?? 0) % Math.max(from.length, 1)];
  const done = edits[name](copy, pick);
  return done && { proto: copy, ...done };
}
