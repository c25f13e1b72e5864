// Cookies reveal where a user goes and keep them signed in. Unless every tab is shared, agents can
// read and change only the cookies of shared tabs. Pure.

// Commands that read the whole profile's cookies, whichever tab they are sent to.
export const COOKIE_READS = new Set([
  "Network.getAllCookies",
  "Network.getCookies",
  "Storage.getCookies",
]);

// Commands that write cookies, and the cookies they name.
/** @type {Record<string, (params: CdpParams | undefined) => unknown>} */
const COOKIES_WRITTEN = {
  "Network.deleteCookies": (params) => [params],
  "Network.setCookie": (params) => [params],
  "Network.setCookies": (params) => params?.cookies,
  "Storage.setCookies": (params) => params?.cookies,
};

/**
 * Return a site whose cookies a command would change though no URL belongs to it; "" if none.
 * @param {string[]} urls
 * @param {string} method
 * @param {CdpParams | undefined} params
 * @returns {string}
 */
export function findOtherSite(urls, method, params) {
  if (!Object.hasOwn(COOKIES_WRITTEN, method)) return "";
  const hosts = urls.map(hostOf).filter(Boolean);
  const written = COOKIES_WRITTEN[method](params);
  for (const cookie of Array.isArray(written) ? written : []) {
    const { url, domain } = cookie ?? {};
    if (!url && !domain) return "an unnamed site";
    if (url && !hosts.includes(hostOf(url))) return hostOf(url) || "an unnamed site";
    if (domain && !getsCookies(hosts, domain)) return String(domain);
  }
  return "";
}

/**
 * @param {string[]} hosts
 * @param {unknown} domain
 */
function getsCookies(hosts, domain) {
  const bare = String(domain ?? "").replace(/^\./, "").toLowerCase();
  return hosts.some((host) => host === bare || host.endsWith(`.${bare}`));
}

/**
 * Return a reply with only the cookies that are sent to pages of these URLs.
 * @param {string[]} urls
 * @param {{cookies?: {domain: string}[]}} answer
 */
export function filterCookies(urls, answer) {
  const hosts = urls.map(hostOf).filter(Boolean);
  const cookies = (answer.cookies ?? []).filter(({ domain }) => getsCookies(hosts, domain));
  return { ...answer, cookies };
}

/** @param {string} url */
function hostOf(url) {
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return "";
  }
}
