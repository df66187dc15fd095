import { fuzz } from "./fuzz.js";
import { docComments, specifications } from "./generator.js";

fuzz(specifications, { cases: 40, share: 0.75 });
fuzz(docComments, { cases: 4, share: 0.25 });
