import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A public API, which an npm package contains as protos. */
export interface Api {
  readonly name: string;
  /** The npm package. */
  readonly package: string;
  /** The folder in the package that imports are relative to. */
  readonly root: string;
  /** The protos, and folders of protos, in this folder. */
  readonly protos: readonly string[];
  /** Lines of the report in addition to limits of transports, because of mistakes in the protos. */
  readonly omissions?: readonly RegExp[];
}

const google = (name: string, ...protos: readonly string[]): Api => ({
  name,
  package: "google-proto-files",
  root: ".",
  protos: protos.map((path) => `google/${path}`),
});

/** The APIs, with all kinds of rpcs, routes and types that their authors use. */
export const apis: readonly Api[] = [
  google("pubsub", "pubsub/v1"),
  google("firestore", "firestore/v1"),
  google("longrunning", "longrunning"),
  google("language", "cloud/language/v1"),
  google("storage", "storage/v2"),
  google("spanner", "spanner/v1"),
  google("bigtable", "bigtable/v2"),
  google("logging", "logging/v2"),
  google("monitoring", "monitoring/v3"),
  google("speech", "cloud/speech/v2"),
  google("vision", "cloud/vision/v1"),
  google("texttospeech", "cloud/texttospeech/v1"),
  google("translate", "cloud/translate/v3"),
  google("dialogflow", "cloud/dialogflow/v2"),
  google("kms", "cloud/kms/v1"),
  google("secretmanager", "cloud/secretmanager/v1"),
  google("tasks", "cloud/tasks/v2"),
  google("scheduler", "cloud/scheduler/v1"),
  google("iam", "iam/v1"),
  {
    name: "opentelemetry",
    package: "@opentelemetry/exporter-otlp-proto",
    root: "build/protos",
    protos: ["opentelemetry/proto/collector"],
  },
  {
    name: "temporal",
    package: "@temporalio/core-bridge",
    root: "sdk-core/crates/protos/protos/api_upstream",
    protos: ["temporal/api/workflowservice/v1", "temporal/api/operatorservice/v1"],
  },
  {
    name: "etcd",
    package: "etcd3",
    root: "proto",
    protos: ["rpc.proto"],
    omissions: [
      /^rest: \S+\.HashKV \(.+ POST \/v3\/maintenance\/hash is already the route of Hash;/,
    ],
  },
  {
    name: "reflection",
    package: "@grpc/reflection",
    root: "build/proto",
    protos: ["grpc/reflection/v1/reflection.proto"],
  },
];

/** Returns the folder of an API's imports; `undefined` if its package is not installed. */
export function rootOf(api: Api): string | undefined {
  // A package may export no package.json, so look in each folder that Node searches.
  const folders = createRequire(import.meta.url).resolve.paths(api.package) ?? [];
  const roots = folders.map((folder) => join(folder, api.package, api.root));
  return roots.find((root) => existsSync(root));
}
