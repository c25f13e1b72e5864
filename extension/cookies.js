// Cookies say where a person goes: where not every tab is shared, only those of shared tabs leave.
// Pure.

/** What reads cookies of the whole profile, whichever tab it is sent to. */
export const READS_COOKIES = new Set([
  "Network.getAllCookies",
  "Network.getCookies",
  "Storage.getCookies",
]);

/** Those cookies of an answer that pages of these addresses are sent. */
export function cookiesFor(urls, answer) {
  const hosts = urls.map(hostOf).filter(Boolean);
  const sent = ({ domain }) => {
    const bare = String(domain ?? "").replace(/^\./, "").toLowerCase();
    return hosts.some((host) => host === bare || host.endsWith(`.${bare}`));
  };
  return { ...answer, cookies: (answer.cookies ?? []).filter(sent) };
}

function hostOf(url) {
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return "";
  }
}
