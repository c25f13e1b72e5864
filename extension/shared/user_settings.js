// The user's settings. Knows: chrome.storage.local and the allowed values.
// Must not know: what a setting does.

export const DEFAULT_PORT = 19222;

export const DEFAULTS = Object.freeze({
  // 0: the installer's port, or the default.
  port: 0,
  // "manual": only tabs that the user picks. "auto": what `share` says.
  mode: "manual",
  share: "all",
  lockUrl: false,
  noNewTabs: false,
  readOnly: false,
  // Whether agents may close tabs that the user opened.
  mayClose: false,
  userInstructions: "",
  autoDetachMinutes: 0,
  autoCloseMinutes: 0,
  paused: false,
  profile: "",
});

const CHOICES = { mode: ["auto", "manual"], share: ["all", "window", "tab"] };
const MAX_NUMBER = { autoDetachMinutes: 1440, autoCloseMinutes: 1440, port: 65535 };
const MAX_LENGTH = { userInstructions: 4000, profile: 60 };

/** Return a valid value for a setting; an invalid one becomes the default. */
export function normalize(name, value) {
  const fallback = DEFAULTS[name];
  if (CHOICES[name]) return CHOICES[name].includes(value) ? value : fallback;
  if (typeof fallback === "boolean") return value === true;
  if (typeof fallback === "string") return String(value ?? "").slice(0, MAX_LENGTH[name]);
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER[name] ? number : fallback;
}

/** The settings, cached: a command must never wait for the disk. */
export class Settings {
  values = { ...DEFAULTS };
  #onChange;
  // Values that set() wrote and storage.onChanged has not reported yet, by name, in order.
  #pendingWrites = {};

  constructor(onChange = () => {}) {
    this.#onChange = onChange;
  }

  /** Load the settings. `first` holds the installer's choices until the user makes some. */
  async load(first = {}) {
    Object.assign(this.values, first);
    const stored = await chrome.storage.local.get(Object.keys(DEFAULTS));
    for (const name of Object.keys(DEFAULTS)) {
      if (name in stored) this.values[name] = normalize(name, stored[name]);
    }
    if (!this.values.profile) {
      // Two profiles may load the same folder: this name tells them apart.
      this.values.profile = `profile-${crypto.randomUUID().slice(0, 6)}`;
      await chrome.storage.local.set({ profile: this.values.profile });
    }
  }

  /** Handle chrome.storage.onChanged. */
  onStorageChanged(changes, area) {
    if (area !== "local") return;
    const changed = {};
    for (const [name, { newValue }] of Object.entries(changes)) {
      if (!(name in DEFAULTS)) continue;
      const value = newValue === undefined ? DEFAULTS[name] : normalize(name, newValue);
      const pending = this.#pendingWrites[name] ?? [];
      pending.splice(0, pending.indexOf(value) + 1);
      // An older value than set() wrote meanwhile: using it could share tabs again.
      if (pending.length || value === this.values[name]) continue;
      this.values[name] = value;
      changed[name] = value;
    }
    if (Object.keys(changed).length) this.#onChange(changed);
  }

  /** Change settings at once. The storage.onChanged that follows has no further effect. */
  async set(values) {
    const kept = {};
    for (const [name, value] of Object.entries(values)) {
      if (name in DEFAULTS) kept[name] = normalize(name, value);
    }
    const changed = Object.fromEntries(
      Object.entries(kept).filter(([name, value]) => this.values[name] !== value),
    );
    Object.assign(this.values, kept);
    for (const [name, value] of Object.entries(changed)) {
      (this.#pendingWrites[name] ??= []).push(value);
    }
    await chrome.storage.local.set(kept);
    if (Object.keys(changed).length) this.#onChange(changed);
  }

  /** Return the settings that the relay may know. */
  forRelay() {
    const { port: _, ...rest } = this.values;
    return rest;
  }
}
