import { TaskGenerationMismatchError } from "../../generated/1.1-draft/errors.js";
import { protocol } from "../../generated/1.1-draft/operations.js";
import * as validators from "../../generated/1.1-draft/validators.js";
import type { ServiceFacts } from "../../library/kit/kit-facts.js";

// The functions of the kit with the facts of 1.1-draft.
export {
  type Followed,
  followTask,
  verifyCard,
  withCapabilityCheck,
  withCredentials,
} from "../../generated/1.1-draft/kit/client/index.js";
export { pushReceiver, signCard, taskService } from "../../generated/1.1-draft/kit/index.js";

/** The facts of 1.1-draft that the kit takes for a service. */
export const serviceFacts: ServiceFacts = {
  protocol,
  mismatch: TaskGenerationMismatchError,
  assertStatusUpdate: validators.assertTaskStatusUpdateEvent,
  assertArtifactUpdate: validators.assertTaskArtifactUpdateEvent,
};
