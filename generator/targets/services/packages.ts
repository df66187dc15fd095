import { camelCase } from "../../../support/names.js";
import { Imports } from "../../emit/imports.js";
import { output } from "../../emit/output-modules.js";
import type { FilePlan } from "../../emit/plan.js";
import { fixed } from "../../emit/relocate.js";
import { runtime } from "../../emit/runtime-modules.js";
import { valueRef } from "../../emit/symbols.js";
import { keyOf } from "../../emit/text.js";
import type { Protocol } from "../../protocol/model/types.js";
import { servicesGrpcFiles } from "./server.js";

/** The output of a package, with its files. */
export interface PackageFiles {
  readonly folder: string;
  readonly protocol: Pick<Protocol, "services">;
  readonly files: readonly FilePlan[];
}

/**
 * The files that are the same in the outputs of all packages with the same manifest: the errors,
 * whose classes must be the same, and the handlers, which serve services of all packages.
 */
const equalFiles: readonly string[] = ["errors.ts", "server/http.ts", "server/node.ts"];

/** The files that require the codecs of the services that they serve. */
const codecFiles: readonly string[] = ["server/grpc.ts", "server/http2.ts"];

/**
 * Returns the files that the outputs of several packages share, at their paths in each output. The
 * outputs reexport them.
 */
export function sharedFiles(packages: readonly PackageFiles[]): FilePlan[] {
  const all = packages.flatMap(({ files }) => files);
  const found = (path: string): FilePlan[] => all.filter((file) => file.path === path).slice(0, 1);
  const shared = equalFiles.flatMap(found);
  if (codecFiles.flatMap(found).length === 0) return shared;
  return [...shared, codecsFile(packages), ...servicesGrpcFiles(true)];
}

/** Returns the file that an output has in place of a shared file; otherwise, the file itself. */
export function asReexport(file: FilePlan): FilePlan {
  const { path } = file;
  if (!equalFiles.includes(path) && !codecFiles.includes(path)) return file;
  const imports = new Imports(path);
  imports.reexportAll(fixed(path.replace(/\.ts$/, "")));
  return imports.plan("facade", {});
}

/** Plans the table with the codecs of all services. */
function codecsFile(packages: readonly PackageFiles[]): FilePlan {
  const imports = new Imports("codecs.ts", [output.codecs]);
  imports.use(runtime.Codecs);
  const services = packages.flatMap(({ folder, protocol: { services = [] } }) => {
    const { name } = output.codecs;
    return services.map(({ fullName }) => ({
      name: keyOf(fullName),
      codecs: imports.value(valueRef(`${folder}/${name}`, name), camelCase(folder)),
    }));
  });
  return imports.plan("services/codecs", { services });
}
