// The user's settings. Knows: chrome.storage.local and the allowed values.
// Must not know: what a setting does.

export const DEFAULT_PORT = 19222;

/** @type {Readonly<UserSettings>} */
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

/** @type {Partial<Record<keyof UserSettings, string[]>>} */
const CHOICES = { mode: ["auto", "manual"], share: ["all", "window", "tab"] };
/** @type {Partial<Record<keyof UserSettings, number>>} */
const MAX_NUMBER = { autoDetachMinutes: 1440, autoCloseMinutes: 1440, port: 65535 };
const NAMES = /** @type {(keyof UserSettings)[]} */ (Object.keys(DEFAULTS));
/** @type {Partial<Record<keyof UserSettings, number>>} */
const MAX_LENGTH = { userInstructions: 4000, profile: 60 };

/**
 * Return a valid value for a setting; an invalid one becomes the default.
 * @param {keyof UserSettings} name
 * @param {unknown} value
 * @returns {any} a value of the type of that setting
 */
export function normalize(name, value) {
  const fallback = DEFAULTS[name];
  const choices = CHOICES[name];
  if (choices) return typeof value === "string" && choices.includes(value) ? value : fallback;
  if (typeof fallback === "boolean") return value === true;
  if (typeof fallback === "string") return String(value ?? "").slice(0, MAX_LENGTH[name]);
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 && number <= (MAX_NUMBER[name] ?? 0) ? number : fallback;
}

/**
 * Return which tabs the user shares, as the pages name it.
 * @param {UserSettings} settings
 */
export const scopeOf = ({ mode, share }) => (mode === "manual" ? "manual" : share);

/** The settings, cached: a command must never wait for the disk. */
export class Settings {
  /** @type {UserSettings} */
  values = { ...DEFAULTS };
  #onChange;
  // Values that set() wrote and storage.onChanged has not reported yet, by name, in order.
  /** @type {Record<string, unknown[]>} */
  #pendingWrites = {};

  /** @param {(changes: Partial<UserSettings>) => void} onChange */
  constructor(onChange = () => {}) {
    this.#onChange = onChange;
  }

  /**
   * Load the settings. `first` holds the installer's choices until the user makes some.
   * @param {Partial<UserSettings>} first
   */
  async load(first = {}) {
    Object.assign(this.values, first);
    const stored = await chrome.storage.local.get(NAMES);
    for (const name of NAMES) {
      if (name in stored) this.#assign(name, normalize(name, stored[name]));
    }
    if (!this.values.profile) {
      // Two profiles may load the same folder: this name tells them apart.
      this.values.profile = `profile-${crypto.randomUUID().slice(0, 6)}`;
      await chrome.storage.local.set({ profile: this.values.profile });
    }
  }

  /**
   * Handle chrome.storage.onChanged.
   * @param {Record<string, chrome.storage.StorageChange>} changes
   * @param {string} area
   */
  onStorageChanged(changes, area) {
    if (area !== "local") return;
    /** @type {CdpParams} */
    const changed = {};
    for (const name of NAMES) {
      if (!(name in changes)) continue;
      const { newValue } = changes[name];
      const value = newValue === undefined ? DEFAULTS[name] : normalize(name, newValue);
      const pending = this.#pendingWrites[name] ?? [];
      pending.splice(0, pending.indexOf(value) + 1);
      // An older value than set() wrote meanwhile: using it could share tabs again.
      if (pending.length || value === this.values[name]) continue;
      this.#assign(name, value);
      changed[name] = value;
    }
    if (Object.keys(changed).length) this.#onChange(changed);
  }

  /**
   * Change settings at once. The storage.onChanged that follows has no further effect.
   * @param {Partial<UserSettings>} values
   */
  async set(values) {
    /** @type {CdpParams} */
    const kept = {};
    for (const name of NAMES) if (name in values) kept[name] = normalize(name, values[name]);
    const changed = Object.fromEntries(
      NAMES.filter((name) => name in kept && this.values[name] !== kept[name])
        .map((name) => [name, kept[name]]),
    );
    Object.assign(this.values, kept);
    for (const [name, value] of Object.entries(changed)) {
      (this.#pendingWrites[name] ??= []).push(value);
    }
    await chrome.storage.local.set(kept);
    if (Object.keys(changed).length) this.#onChange(changed);
  }

  /**
   * @param {keyof UserSettings} name
   * @param {unknown} value of the type of that setting
   */
  #assign(name, value) {
    Object.assign(this.values, { [name]: value });
  }

  /** Return the settings that the relay may know. */
  forRelay() {
    const { port: _, ...rest } = this.values;
    return rest;
  }
}
