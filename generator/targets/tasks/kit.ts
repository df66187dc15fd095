import type { Protocol, TasksDef } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import {
  errorRef,
  kit,
  kitNamespaces,
  output,
  outputNamespaces,
} from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { runtime } from "../../emit/runtime-modules.js";

/**
 * Returns the reason why the kit's modules do not support a protocol; `undefined` if they support
 * it.
 */
export function reasonWithoutKit({ binding, types }: Protocol): string | undefined {
  if (binding?.tasks === undefined) return "the task kit requires the models of later versions";
  const names = new Set(types.map(({ name }) => name));
  const missing = binding.tasks.types.filter((name) => !names.has(name));
  if (missing.length === 0) return undefined;
  return `the specification has no ${missing.join(", ")}, which the task kit requires`;
}

/** Plans the file with the types of the output that the kit's functions accept and return. */
export function kitModelsFile(): FilePlan {
  const imports = new Imports("kit/models.ts", [kit.Models.name]);
  return imports.plan("tasks/models", { models: imports.typeNamespace(outputNamespaces.models) });
}

/**
 * Plans the module from which users import the task kit. It passes the types and facts of the
 * output to the kit's modules.
 */
export function kitFile({ mismatch }: Pick<TasksDef, "mismatch">): FilePlan {
  const imports = new Imports("kit/index.ts");
  imports.namespace(kitNamespaces.kit);
  imports.namespace(outputNamespaces.validators);
  imports.value(output.protocol);
  imports.type(kit.Models);
  const models = imports.typeNamespace(outputNamespaces.models);
  imports.type(output.A2AService);
  imports.type(runtime.VersionMapping);
  imports.reexportAll(kitNamespaces.kit.module);
  return imports.plan("tasks/kit", {
    models,
    mismatch: mismatch === undefined ? "undefined" : imports.value(errorRef(mismatch)),
  });
}

/** Plans the part of the kit that belongs to the client. */
export function clientKitFile({ mismatch }: Pick<TasksDef, "mismatch">): FilePlan {
  const imports = new Imports("kit/client/index.ts");
  imports.namespace(kitNamespaces.client);
  imports.namespace(outputNamespaces.validators);
  imports.namespace(outputNamespaces.calls);
  imports.typeNamespace(outputNamespaces.models);
  for (const value of [output.clientErrors, output.discovery, output.operations, output.protocol])
    imports.value(value);
  for (const type of [kit.Models, output.A2AClient, runtime.Interceptor]) imports.type(type);
  imports.reexportAll(kitNamespaces.client.module);
  return imports.plan("tasks/client", { counts: String(mismatch !== undefined) });
}

/** Plans the file that tests of agents import. */
export function kitTestingFile(): FilePlan {
  const imports = new Imports("kit/testing.ts");
  imports.namespace(kitNamespaces.testing);
  imports.type(kit.Models);
  return imports.plan("tasks/testing", {});
}
