import type { Departure } from "../departures.js";
import { python } from "./departures-python.js";

/** Departures of the SDKs of other languages. When an SDK is mended, `npm run interop` fails and the row can go. */
export const departures: readonly Departure[] = [...python];
