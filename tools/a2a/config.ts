import type { Output } from "./output.js";
import { visibleToken } from "./redact.js";
import { secretSettings, type Settings } from "./settings.js";

/** Runs `a2a config show`: prints each setting with its source, but no secrets. */
export async function configCommand(settings: Settings, output: Output): Promise<void> {
  const shown = settings.all().map((setting) => ({
    ...setting,
    value: secretSettings.includes(setting.name) ? visibleToken(setting.value) : setting.value,
  }));
  if (output.isJson) return output.json({ settings: shown });
  for (const { name, value, source, path } of shown) {
    const origin = path === undefined ? source : `${source} ${path}`;
    await output.field(name, value === "" ? "not set" : `${value} (${origin})`);
  }
}
