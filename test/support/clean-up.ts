import { afterAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.js";

// Files that run in the same process share the modules that they import, so an `afterAll` in a
// shared module would only run after the first of them. This module runs again for each file.
afterAll(removeTemporaryFolders);
