import { fuzz } from "./fuzz.js";
import { documents } from "./json.js";

fuzz(documents, { cases: 5_000 });
