import { v03 } from "./subject-0.3.js";
import { v10 } from "./subject-1.0.js";
import type { Subject } from "./subject.js";

export { v03, v10 };

/** The versions under attack. What is tested on each of them is true of every version. */
export const subjects: readonly Subject[] = [v10, v03];
