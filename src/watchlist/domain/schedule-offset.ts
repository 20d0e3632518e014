/**
 * The offset of a name in its interval, from 0 to below 1: a hash (FNV-1a with the final mix of MurmurHash3), so that
 * names added or delayed together spread over the interval and keep their places.
 */
function hashOffset(domain: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < domain.length; i += 1) hash = Math.imul(hash ^ domain.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Milliseconds until the offset of the name comes next: more than 0, at most the interval. Offsets are whole
 * milliseconds like dates: a rounded one would lie just ahead of the check it caused.
 */
export function msUntilOffset(domain: string, intervalMs: number, now: Date): number {
  const periodMs = Math.max(1, Math.floor(intervalMs));
  const sinceOffsetMs = (now.getTime() - Math.floor(hashOffset(domain) * periodMs)) % periodMs;
  return periodMs - (sinceOffsetMs < 0 ? sinceOffsetMs + periodMs : sinceOffsetMs);
}
