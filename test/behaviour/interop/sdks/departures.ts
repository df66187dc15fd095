import type { Departure, Habit } from "../departures.js";
import { oldGo, oldGoHabits } from "./departures-go-for-0.3.js";
import { go, goHabits } from "./departures-go.js";
import { java, javaHabits } from "./departures-java.js";
import { oldPython, oldPythonHabits } from "./departures-python-0.3.js";
import { pythonForOld, pythonForOldHabits } from "./departures-python-for-0.3.js";
import { python } from "./departures-python.js";
import { rust } from "./departures-rust.js";

/**
 * Departures of the SDKs of other languages. When an SDK is mended, `npm run interop` fails and the
 * row can go.
 */
export const departures: readonly Departure[] = [
  ...python,
  ...oldPython,
  ...pythonForOld,
  ...go,
  ...oldGo,
  ...rust,
  ...java,
];

/** Their habits. */
export const habits: readonly Habit[] = [
  ...oldPythonHabits,
  ...pythonForOldHabits,
  ...goHabits,
  ...oldGoHabits,
  ...javaHabits,
];
