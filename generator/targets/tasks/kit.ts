import type { AgentBinding, Protocol, TasksDef } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import {
  clientChecks,
  errorRef,
  kitApi,
  kitNamespaces,
  modelRef,
  output,
  outputNamespaces,
} from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { sampleLines } from "../../emit/sample.js";

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

/**
 * Plans the module from which users import the task kit. It passes the facts of the version to the
 * kit's modules.
 */
export function kitFile({ mismatch }: Pick<TasksDef, "mismatch">): FilePlan {
  const imports = new Imports("kit/index.ts");
  imports.namespace(kitNamespaces.kit);
  imports.namespace(outputNamespaces.validators);
  imports.use(output.protocol, output.A2AService);
  imports.reexportAll(kitNamespaces.kit.module);
  const error = mismatch === undefined ? "undefined" : imports.value(errorRef(mismatch));
  return imports.plan("tasks/kit", { mismatch: error });
}

/** Plans the part of the kit that belongs to the client. */
export function clientKitFiles(tasks: Pick<TasksDef, "mismatch">, card: string): FilePlan[] {
  return [clientKitFile(tasks, card), clientChecksFile()];
}

function clientKitFile({ mismatch }: Pick<TasksDef, "mismatch">, card: string): FilePlan {
  const { verifyCard, withCapabilityCheck, withVerifiedCards } = clientChecks;
  const imports = new Imports("kit/client/index.ts");
  imports.namespace(kitNamespaces.client);
  imports.use(output.clientErrors, output.discovery, output.protocol);
  imports.use(output.connect, output.ConnectOptions);
  imports.reexportAll(kitNamespaces.client.module);
  imports.reexport(verifyCard, withCapabilityCheck, withVerifiedCards);
  const counts = String(mismatch !== undefined);
  return imports.plan("tasks/client", {
    card: imports.type(modelRef(card)),
    client: imports.type(output.A2AClient),
    counts,
  });
}

/**
 * Plans the functions that require schemas. They are separate from other functions of the client,
 * which loads schemas later.
 */
function clientChecksFile(): FilePlan {
  const imports = new Imports("kit/client/checks.ts", Object.values(clientChecks));
  imports.namespace(kitNamespaces.client);
  imports.namespace(outputNamespaces.validators);
  imports.namespace(outputNamespaces.calls);
  imports.use(output.discovery, output.operations);
  return imports.plan("tasks/client-checks", {});
}

/** Plans the file that tests of agents, and of programs that call agents, import. */
export function kitTestingFile({ card, tasks }: AgentBinding): FilePlan {
  const imports = new Imports("kit/testing.ts", [
    "ScriptedAgentOptions",
    "cardAt",
    "scriptedAgent",
  ]);
  imports.namespace(kitNamespaces.testing);
  imports.use(kitApi.taskService, output.AgentOptions, output.createAgent, output.fetchHandler);
  imports.reexportAll(kitNamespaces.testing.module);
  const type = imports.type(modelRef(card.type));
  const sample = sampleLines(
    { ...card.sample, ...tasks?.sample },
    { head: `const cardAt = (url: string): ${type} => (`, tail: ");" },
  );
  return imports.plan("tasks/testing", { card: type, sample: sample.join("\n") });
}
