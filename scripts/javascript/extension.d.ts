// Types that several files of extension/ share.

/** Parameters of a message from outside: JSON of any form. Each use checks what it needs. */
type CdpParams = Record<string, any>;

type Stopped = "" | "stopped" | "cancelled";
type ErrorReply = { code: number; message: string; data?: string };
type RelayMessage = { id?: number; method: string; params?: CdpParams };
type TargetInfo = { targetId: string } & CdpParams;
type NavigationHistory = { entries: { id: number; url: string }[] };

type RelayConnection = import("../../extension/background/connection.js").RelayConnection;
type StoredState = import("../../extension/background/stored_state.js").StoredState;
type TabSharing = import("../../extension/background/agent_tab_access.js").TabSharing;

/** The user's settings; what they mean stands in extension/shared/user_settings.js. */
interface UserSettings {
  port: number;
  mode: "auto" | "manual";
  share: "all" | "window" | "tab";
  lockUrl: boolean;
  noNewTabs: boolean;
  readOnly: boolean;
  mayClose: boolean;
  userInstructions: string;
  autoDetachMinutes: number;
  autoCloseMinutes: number;
  paused: boolean;
  profile: string;
}

/** What the extension remembers of a tab that agents opened or use, or that the user picked. */
interface StoredTab {
  by: "agent" | "user" | "";
  client?: string;
  group?: number;
  usedAt?: number;
  /** An agent has used it. */
  used?: boolean;
  /** Attached now. */
  held?: boolean;
  /** Shared again after a stop. */
  allowed?: boolean;
  /** The site that the tab is locked to. */
  site?: string;
}

interface StoredData {
  tabs: Record<number, StoredTab>;
  taken: Record<number, boolean>;
  popups: Record<number, boolean>;
  stopped: Stopped;
  shareTabId: number | null;
  shareWindowId: number | null;
  groups: Record<string, number>;
  clients: ClientRow[];
  autostart: boolean;
  relay: string;
}

/** A client as the relay describes it. */
interface ClientRow {
  id?: string;
  label?: string;
  at?: number;
  lastAction?: string | { words?: string; method?: string; at?: number };
  conflicts?: (string | { words?: string })[];
}

/** What the extension tracks of an attached tab. */
interface Attachment {
  targetId: string;
  /** Ids of the tab's own targets. */
  targets: Set<string>;
  /** Whether a JavaScript dialog is open. */
  dialog: boolean;
  /** By request id; `child` is the request's session. */
  pausedRequests: Map<string, { child: string; auth: boolean }>;
  /** Sessions of frames and workers that wait for the debugger. */
  waitingChildren: Set<string>;
  /** Sessions stopped at a breakpoint. */
  pausedScripts: Set<string>;
  /** Sessions that intercept file choosers. */
  interceptedChoosers: Set<string>;
  /** The connection epoch in which it was attached (worker.js). */
  epoch: number;
}

/** The site that a tab is locked to, and the ids of its own targets. */
type LockedTab = { site?: string; targets: Set<string> };

type Notify = (method: string, params?: object, keep?: boolean) => void;

/** The parts of the worker, which worker.js creates. */
interface Parts {
  settings: import("../../extension/shared/user_settings.js").Settings;
  store: StoredState;
  tabDebugger: import("../../extension/background/debugger.js").TabDebugger;
  tabs: import("../../extension/background/shared_tabs.js").SharedTabs;
  groups: import("../../extension/background/tab_groups.js").TabGroups;
  epoch: () => number;
  isConnected: () => boolean;
  notify: Notify;
  refresh: () => void;
}

interface PageParts extends Parts {
  sharing: TabSharing;
  connection: RelayConnection;
  pairing: import("../../extension/background/pairing.js").Pairing;
  port: () => number;
}

interface ConnectionCallbacks {
  port: () => number;
  credentials: () => { secret: string; code: boolean } | null;
  /** The parameters of our greeting. */
  hello: () => Promise<object>;
  onMessage: (message: RelayMessage) => void;
  /** Returns whether queued events are still valid. */
  onWelcome: (params: CdpParams) => boolean;
  onLost: (closeCode: number) => void;
  onCodeFailed: (message: string) => void;
  reloadPairing: () => Promise<void>;
  onChange: () => void;
}

/** One attempt to connect and to prove the secret. */
interface ConnectionAttempt {
  generation: number;
  credentials: { secret: string; code: boolean };
  port: number;
  key: string;
  /** The nonces of the relay and of this side. */
  theirs: string;
  mine: string;
  opened: boolean;
}

interface TabCallbacks {
  settings: () => UserSettings;
  stored: () => StoredData;
  isAttached: (tabId: number) => boolean;
  mayClose: (tabId: number) => boolean;
  notify: Notify;
}

/** A shared tab as the relay sees it. */
interface ReportedTab {
  tabId: number;
  targetId: string;
  windowId: number;
  url: string;
  title: string;
  active?: boolean;
  discarded?: boolean;
  status?: string;
  attached?: boolean;
  frozen?: boolean;
  groupId?: number;
  openerTabId?: number;
  client?: string;
  by?: string;
  closable?: boolean;
}

interface CommandRequest {
  tabId: number;
  childSessionId?: string;
  method: string;
  params?: CdpParams;
}

/** A tab that Chrome has given an id. */
type KnownTab = chrome.tabs.Tab & { id: number };

type GroupRequest = { client: string; tabIds: number[] };

interface OpenTabRequest {
  url?: string;
  active?: boolean;
  windowId?: number;
  window?: chrome.windows.CreateData;
  client?: string;
}

/** An action of the user on one of our pages. */
interface PageAction {
  action: string;
  tabId?: any;
  windowId?: any;
  share?: any;
  code?: any;
  on?: unknown;
}

/** A row of the popup's list. */
interface TabRow {
  tabId: number;
  windowId: number;
  title: string;
  url: string;
  held: boolean;
  shared: boolean;
  by: string;
  client: string;
  usedAt: number;
  /** A page of the browser, which no agent can use. */
  closed: boolean;
}

/** All that popup, settings and welcome page draw. */
interface PageView {
  connection: { state: string; message: string; codeProblem: string; refused: boolean };
  paired: boolean;
  settings: UserSettings;
  port: number;
  stopped: Stopped;
  autostart: boolean;
  shareTabId: number | null;
  shareWindowId: number | null;
  clients: ClientRow[];
  tabs: TabRow[];
  current: TabRow | null;
  version: string;
}

interface Navigator {
  /** Chromium only, and not in TypeScript's library. */
  readonly userAgentData?: {
    brands: { brand: string; version: string }[];
    getHighEntropyValues(
      hints: string[],
    ): Promise<{ fullVersionList?: { brand: string; version: string }[] }>;
  };
}
