// The shapes that the daemon sends (daemon/web/events.py).

/** @typedef {{ id: string, owner: string, name: string, url: string, title: string, browser: string,
 *   busy: string, last_action: string, state: string }} Tab */

/** @typedef {{ id: string, tab: string, kind: string, type: string, message: string,
 *   default_prompt: string, origin: string, opened_at: number, answers: string[],
 *   choices: string[], orphaned: string }} Interrupt */

/** @typedef {{ number: number, at: number, owner: string, tab: string, name: string, on: string,
 *   ms?: number, error?: string, summary?: string[] }} Call */

/** @typedef {{ kind: string, owner: string, name: string }} Client */

/** @typedef {{ version: string, tabs: Tab[], interrupts: Interrupt[], calls: Call[], viewers: number,
 *   clients: Client[], last_event: string }} State */

/** @typedef {{ type: "reset" } | { type: "tab_opened", tab: Tab } | { type: "tab_changed", tab: Tab }
 *   | { type: "tab_closed", id: string } | { type: "interrupt_opened", interrupt: Interrupt }
 *   | { type: "interrupt_closed", id: string, tab: string, closed_by: string }
 *   | ({ type: "call_started" } & Call) | ({ type: "call_finished" } & Call)
 *   | { type: "viewers_changed", viewers: number }} DaemonEvent */

/** @typedef {{ count: number, steps: number[], counts: number[], p50: number | null,
 *   p95: number | null, p99: number | null }} Latency */

/** @typedef {{ uptime_s: number, calls: number, latency: Latency,
 *   browsers: { browser: string, product?: string, ms?: number, error?: string }[],
 *   memory: { daemon_mb: number, browsers_mb: number } }} Health */

/** @typedef {{ frame_id: string, url: string, origin: string, name?: string, parent_frame_id?: string,
 *   is_oopif?: boolean }} Frame */

export {};
