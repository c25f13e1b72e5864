// Cookies say where a person goes, and keep them signed in: where not every tab is shared, only those
// of shared tabs leave, and no others are changed. Pure.

/** What reads cookies of the whole profile, whichever tab it is sent to. */
export const READS_COOKIES = new Set([
  "Network.getAllCookies",
  "Network.getCookies",
  "Storage.getCookies",
]);

// What writes cookies, and where it says which.
const WRITTEN = {
  "Network.deleteCookies": (params) => [params],
  "Network.setCookie": (params) => [params],
  "Network.setCookies": (params) => params?.cookies,
  "Storage.setCookies": (params) => params?.cookies,
};

/** Whose cookies a command would change that pages of these addresses are not sent; "" if none. */
export function strangerOf(urls, method, params) {
  if (!Object.hasOwn(WRITTEN, method)) return "";
  const hosts = urls.map(hostOf).filter(Boolean);
  const written = WRITTEN[method](params);
  for (const cookie of Array.isArray(written) ? written : []) {
    const { url, domain } = cookie ?? {};
    if (!url && !domain) return "an unnamed site";
    if (url && !hosts.includes(hostOf(url))) return hostOf(url) || "an unnamed site";
    if (domain && !isSent(hosts, domain)) return String(domain);
  }
  return "";
}

function isSent(hosts, domain) {
  const bare = String(domain ?? "").replace(/^\./, "").toLowerCase();
  return hosts.some((host) => host === bare || host.endsWith(`.${bare}`));
}

/** Those cookies of an answer that pages of these addresses are sent. */
export function cookiesFor(urls, answer) {
  const hosts = urls.map(hostOf).filter(Boolean);
  return { ...answer, cookies: (answer.cookies ?? []).filter(({ domain }) => isSent(hosts, domain)) };
}

function hostOf(url) {
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return "";
  }
}
