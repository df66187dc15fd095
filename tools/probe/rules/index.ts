import type { CardRule, Rule } from "../rule.js";
import { accessRules } from "./access.js";
import { cardRules, cardTypeRules } from "./card.js";
import { cardInterfaceRules } from "./card-interfaces.js";
import { cardSecurityRules } from "./card-security.js";
import { errorRules } from "./errors.js";
import { grpcRules } from "./grpc.js";
import { httpRules } from "./http.js";
import { jsonRpcRules } from "./jsonrpc.js";
import { listRules } from "./lists.js";
import { pushRules } from "./push.js";
import { refusalRules } from "./refusals.js";
import { streamChunkRules } from "./stream-chunks.js";
import { streamRules } from "./streams.js";
import { taskContentRules } from "./task-content.js";
import { taskRules } from "./tasks.js";
import { versionRules } from "./versions.js";

/** All rules for agent cards. */
export const allCardRules: readonly CardRule[] = [
  ...cardInterfaceRules,
  ...cardRules,
  ...cardSecurityRules,
  ...cardTypeRules,
];

/** All rules for interfaces. The first rule checks that an interface responds at all. */
export const allRules: readonly Rule[] = [
  ...versionRules,
  ...accessRules,
  ...errorRules,
  ...jsonRpcRules,
  ...httpRules,
  ...grpcRules,
  ...taskRules,
  ...taskContentRules,
  ...refusalRules,
  ...streamRules,
  ...streamChunkRules,
  ...listRules,
  ...pushRules,
];
