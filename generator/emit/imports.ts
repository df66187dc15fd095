import { encloseObject } from "./text.js";
import type { FilePlan } from "./plan.js";

/** Hears which names a text uses, and says what they are called in it. */
export interface NameSource {
  /** Notes the use of a value and gives its name. Module paths are relative to the output folder, without extension. */
  value(module: string, name: string): string;
  /** Notes the use of a type and gives its name. */
  type(module: string, name: string): string;
}

/** Gathers what a file imports; a name is imported as a type only as long as all its uses are types. */
export class Imports implements NameSource {
  readonly #named = new Map<string, Map<string, boolean>>();
  readonly #namespaces = new Map<string, string>();
  readonly #typeNamespaces = new Map<string, string>();

  /** Notes the use of a value and gives its name. Module paths are relative to the output folder, without extension. */
  value(module: string, name: string): string {
    this.#names(module).set(name, true);
    return name;
  }

  /** Notes the use of a type and gives its name. */
  type(module: string, name: string): string {
    const names = this.#names(module);
    names.set(name, names.get(name) ?? false);
    return name;
  }

  /** Notes the use of all of a module under one name, and gives the name. */
  namespace(module: string, name: string): string {
    this.#namespaces.set(module, name);
    return name;
  }

  /** Notes the use of the types of a module under one name. */
  typeNamespace(module: string, name: string): void {
    this.#typeNamespaces.set(module, name);
  }

  /** Plans a file that imports all of this; its view gets the statements as `imports`. */
  plan(path: string, template: string, view: object): FilePlan {
    return { path, template, view: { imports: this.statements(path), ...view }, runtime: this.#runtime() };
  }

  /** The import statements of a file at `from`, sorted by module. */
  statements(from: string): string[] {
    const named = [...this.#named].map(
      ([module, names]) => [module, namedImport(names, relativeModule(from, module))] as const,
    );
    const spaces = [...this.#namespaces].map(
      ([module, name]) => [module, `import * as ${name} from "${relativeModule(from, module)}";`] as const,
    );
    const types = [...this.#typeNamespaces].map(
      ([module, name]) => [module, `import type * as ${name} from "${relativeModule(from, module)}";`] as const,
    );
    return [...named, ...spaces, ...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, statement]) => statement);
  }

  /** The modules below `runtime/` that are imported. */
  #runtime(): string[] {
    const modules = [...this.#named.keys(), ...this.#namespaces.keys()];
    return modules.filter((module) => module.startsWith("runtime/")).map((module) => module.slice("runtime/".length));
  }

  #names(module: string): Map<string, boolean> {
    const known = this.#named.get(module) ?? new Map<string, boolean>();
    this.#named.set(module, known);
    return known;
  }
}

function namedImport(names: ReadonlyMap<string, boolean>, module: string): string {
  const onlyTypes = [...names.values()].every((isValue) => !isValue);
  const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  const specifiers = sorted.map(([name, isValue]) => (isValue || onlyTypes ? name : `type ${name}`));
  const keyword = onlyTypes ? "import type" : "import";
  return encloseObject(`${keyword} `, specifiers, ` from "${module}";`, 0).join("\n");
}

/** The specifier of a module as a file imports it. The placeholder extension is set when the file is written. */
function relativeModule(from: string, module: string): string {
  const up = from.split("/").length - 1;
  return `${up === 0 ? "./" : "../".repeat(up)}${module}.js`;
}
