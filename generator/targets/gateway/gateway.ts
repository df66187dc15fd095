import type { AgentBinding } from "../../protocol/model/types.js";
import { Imports } from "../../emit/imports.js";
import { gatewayModule, modelRef, output, outputNamespaces } from "../../emit/output-modules.js";
import { emptyPlan, type FilePlan, type Target } from "../../emit/plan.js";
import { quote } from "../../emit/text.js";
import { agentBinding, withoutAgents } from "../errors/errors.js";
import { reasonWithoutKit } from "../tasks/kit.js";

/**
 * Target of the gateway, which serves an agent of any version and transport in every version. Its
 * modules are copied or imported, and the output passes its functions and facts to them.
 */
export const gateway: Target = {
  name: "gateway",
  summary: "a gateway in front of an agent of any version (server/gateway.ts)",
  optIn: true,
  needs: ["client", "server"],
  plan: (protocol) => {
    const binding = agentBinding(protocol);
    if (binding === undefined) return withoutAgents("gateway", "the versions", protocol);
    const unsupported = reasonWithoutKit(protocol);
    if (unsupported === undefined) return { ...emptyPlan, files: [gatewayFile(binding)] };
    const reason = unsupported.replace("task kit", "gateway");
    return { ...emptyPlan, omissions: [{ target: "gateway", subject: "everything", reason }] };
  },
};

function gatewayFile({ card: { type, signatures } }: AgentBinding): FilePlan {
  const declared = [gatewayModule.Gateway, gatewayModule.GatewayOptions, gatewayModule.gateway];
  const imports = new Imports("server/gateway.ts", declared);
  imports.type(output.A2AClient);
  imports.use(output.ConnectOptions, output.HttpHandlerOptions);
  imports.use(output.connect, output.createAgent, output.httpHandler);
  imports.use(output.discovery, output.errors, output.operations, output.protocol);
  imports.namespace(outputNamespaces.validators);
  imports.value(gatewayModule.gateway, "open");
  imports.type(gatewayModule.Gateway, "AnyGateway");
  imports.type(gatewayModule.GatewayOptions, "AnyOptions");
  return imports.plan("server/gateway", {
    card: imports.type(modelRef(type)),
    cardSchema: `${type}Schema`,
    signatures: signatures === undefined ? "" : quote(signatures),
  });
}
