// Synchronous SHA-256: a command must be checked before the next one comes, and crypto.subtle is
// asynchronous (docs/adr/0019). Must not know: what is hashed.

const ROUND = new Uint32Array(64);
const START = new Uint32Array(8);

// The constants of FIPS 180-4: the first 32 bits of the fractional parts of roots of primes.
for (let found = 0, number = 2; found < 64; number++) {
  let prime = true;
  for (let by = 2; by * by <= number; by++) prime &&= number % by !== 0;
  if (!prime) continue;
  /** @param {number} root */
  const fraction = (root) => (root - Math.floor(root)) * 2 ** 32;
  if (found < 8) START[found] = fraction(number ** (1 / 2));
  ROUND[found++] = fraction(number ** (1 / 3));
}

/**
 * Return the SHA-256 of a text, as hex.
 * @param {string} text
 */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const blocks = new Uint8Array(((bytes.length + 8) >> 6 << 6) + 64);
  blocks.set(bytes);
  blocks[bytes.length] = 0x80;
  const view = new DataView(blocks.buffer);
  view.setUint32(blocks.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(blocks.length - 4, bytes.length << 3);
  const state = START.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + 4 * i);
    mix(state, words);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/**
 * @param {number} word
 * @param {number} by
 */
const rotateRight = (word, by) => (word >>> by) | (word << (32 - by));

/**
 * @param {Uint32Array} state
 * @param {Uint32Array} w
 */
function mix(state, w) {
  for (let i = 16; i < 64; i++) {
    const low = rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const high = rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const sum = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + ROUND[i] + w[i]) | 0;
    const other = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
}
