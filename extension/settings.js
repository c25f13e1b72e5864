// The user's settings. Knows: chrome.storage.local and which values are allowed.
// Must not know: what follows from a setting.

export const USUAL_PORT = 19222;

export const USUAL = Object.freeze({
  // 0: the port that the installer wrote down, or the usual one.
  port: 0,
  // "manual": only tabs that the user picks. "auto": as `share` says.
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
const MOST = { autoDetachMinutes: 1440, autoCloseMinutes: 1440, port: 65535 };
const LONGEST = { userInstructions: 4000, profile: 60 };

/** One value as it may be stored; what makes no sense becomes the usual one. */
export function proper(name, value) {
  const usual = USUAL[name];
  if (CHOICES[name]) return CHOICES[name].includes(value) ? value : usual;
  if (typeof usual === "boolean") return value === true;
  if (typeof usual === "string") return String(value ?? "").slice(0, LONGEST[name]);
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 && number <= MOST[name] ? number : usual;
}

/** The settings, cached: a command must never wait for the disk. */
export class Settings {
  now = { ...USUAL };
  #changed;
  // What was set here and storage.onChanged has not said yet, by name, in order.
  #unheard = {};

  constructor(changed = () => {}) {
    this.#changed = changed;
  }

  /** `first` holds what the installer chose, for as long as the user has not. */
  async load(first = {}) {
    Object.assign(this.now, first);
    const stored = await chrome.storage.local.get(Object.keys(USUAL));
    for (const name of Object.keys(USUAL)) {
      if (name in stored) this.now[name] = proper(name, stored[name]);
    }
    if (!this.now.profile) {
      // Two profiles may load the same folder: this is what tells them apart.
      this.now.profile = `profile-${crypto.randomUUID().slice(0, 6)}`;
      await chrome.storage.local.set({ profile: this.now.profile });
    }
  }

  /** What chrome.storage.onChanged says. */
  heard(changes, area) {
    if (area !== "local") return;
    const news = {};
    for (const [name, { newValue }] of Object.entries(changes)) {
      if (!(name in USUAL)) continue;
      const value = newValue === undefined ? USUAL[name] : proper(name, newValue);
      const unheard = this.#unheard[name] ?? [];
      unheard.splice(0, unheard.indexOf(value) + 1);
      // Older than what was set here since: taking it back would share what is shared no more.
      if (unheard.length || value === this.now[name]) continue;
      this.now[name] = value;
      news[name] = value;
    }
    if (Object.keys(news).length) this.#changed(news);
  }

  /** Change some at once; storage.onChanged then says the same again, and nothing comes of it. */
  async set(values) {
    const kept = {};
    for (const [name, value] of Object.entries(values)) {
      if (name in USUAL) kept[name] = proper(name, value);
    }
    const news = Object.fromEntries(
      Object.entries(kept).filter(([name, value]) => this.now[name] !== value),
    );
    Object.assign(this.now, kept);
    for (const [name, value] of Object.entries(news)) (this.#unheard[name] ??= []).push(value);
    await chrome.storage.local.set(kept);
    if (Object.keys(news).length) this.#changed(news);
  }

  /** What the relay may know of them. */
  told() {
    const { port: _, ...rest } = this.now;
    return rest;
  }
}
