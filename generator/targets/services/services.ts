import type { BindingDef, OperationDef, Protocol, ServiceDef } from "../../protocol/model/types.js";
import { docOf, type DocView } from "../../emit/text.js";

/** A protocol whose services are not agents: clients call them without discovery. */
export type ServiceProtocol = Protocol & {
  readonly binding: BindingDef;
  readonly services: readonly ServiceDef[];
};

/** Returns whether the services of a protocol are called without discovery. */
export function hasServices(protocol: Protocol): protocol is ServiceProtocol {
  return protocol.binding !== undefined && protocol.services !== undefined;
}

/** Returns the services of a protocol with their operations. */
export function servicesOf({
  services,
  operations,
}: ServiceProtocol): readonly (ServiceDef & { readonly operations: readonly OperationDef[] })[] {
  const byService = new Map(services.map(({ fullName }) => [fullName, [] as OperationDef[]]));
  for (const operation of operations) byService.get(operation.rpc?.service ?? "")?.push(operation);
  return services.map((service) => {
    return { ...service, operations: byService.get(service.fullName) ?? [] };
  });
}

/** Returns the doc comment of a declaration that belongs to a service. */
export function serviceDocs(
  { docs, deprecated, fullName }: ServiceDef,
  ...paragraphs: readonly string[]
): DocView {
  const text = [docs, ...paragraphs].filter((paragraph) => paragraph !== "").join("\n\n");
  return docOf(text, 0, [...(deprecated ? ["@deprecated"] : []), `@see ${fullName}`]);
}
