import type {
  LossDef,
  MessageDef,
  Protocol,
  TypeDef,
  ValueType,
} from "../../../generator/protocol/model/types.js";
import { added, inForm } from "./forms.js";
import { anchorsOf, isLostDefault, lossesAt, type Anchor, type Binding } from "./report.js";
import { isRecord } from "../../../support/values.js";

/**
 * Says how a value arrives over a binding, if the fidelity report is right: nothing else is lost.
 */
export function expectation({
  types,
  losses,
}: Protocol): (type: ValueType, value: unknown, over: Binding) => unknown {
  const named = new Map(types.map((type) => [type.name, type]));
  return (type, value, over) => {
    const lost = losses.filter(({ bindings }) => bindings.includes(over));
    return new Arrival(named, lost).value(type, value, []);
  };
}

class Arrival {
  readonly #types: ReadonlyMap<string, TypeDef>;
  readonly #losses: readonly LossDef[];

  constructor(types: ReadonlyMap<string, TypeDef>, losses: readonly LossDef[]) {
    this.#types = types;
    this.#losses = losses;
  }

  value(type: ValueType, value: unknown, anchors: readonly Anchor[]): unknown {
    if ("name" in type) return this.#named(this.#types.get(type.name), value, anchors);
    if (type.kind === "list" && Array.isArray(value))
      return value.map((item) => this.value(type.element, item, []));
    if (type.kind === "map" && isRecord(value))
      return mapValues(value, (item) => this.value(type.value, item, []));
    if (type.kind !== "anyOf" && type.kind !== "oneOf") return value;
    return type.members.reduce((found, member) => this.value(member, found, anchors), value);
  }

  #named(type: TypeDef | undefined, value: unknown, anchors: readonly Anchor[]): unknown {
    switch (type?.kind) {
      case "message":
        return isRecord(value) && isOf(type, value) ? this.#message(type, value, anchors) : value;
      case "union":
        return type.members.reduce((found, member) => this.value(member, found, anchors), value);
      case "alias":
        return this.value(type.type, value, anchors);
      default:
        return value;
    }
  }

  #message(
    type: MessageDef,
    value: Readonly<Record<string, unknown>>,
    anchors: readonly Anchor[],
  ): unknown {
    const entries = Object.entries(value).flatMap(([name, given]) => {
      const field = type.fields.find((one) => one.name === name);
      if (field === undefined) return [[name, given] as const];
      const at = anchorsOf(anchors, type.name, name);
      const losses = lossesAt(this.#losses, at);
      const arrived = inForm(losses, this.value(field.type, given, at));
      if (losses.some((loss) => loss.kind === "field" || isLostDefault(loss, arrived))) return [];
      return [[name, arrived] as const];
    });
    const isAdded = (loss: LossDef) => loss.type === type.name && loss.text === added;
    const more = this.#losses.filter((loss) => isAdded(loss) && value[loss.field] === undefined);
    return Object.fromEntries([...entries, ...more.map(({ field }) => [field, true] as const)]);
  }
}

/** Tells whether an object has the constants of a type. */
function isOf({ fields }: MessageDef, value: Readonly<Record<string, unknown>>) {
  return fields.every(
    ({ name, type }) =>
      type.kind !== "literal" ||
      type.values.some((one) => one === value[name]) ||
      value[name] === undefined,
  );
}

function mapValues(
  value: Readonly<Record<string, unknown>>,
  change: (item: unknown) => unknown,
): unknown {
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, change(item)] as const),
  );
}
