/**
 * Where in its interval a name is looked at, from 0 to below 1: by its hash (FNV-1a, with the last mix of MurmurHash3), so
 * that names which alike people added at once, or which an outage made late together, spread over the interval and stay.
 */
function hashOffset(domain: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < domain.length; i += 1) hash = Math.imul(hash ^ domain.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/**
 * Milliseconds from now to the last slot within the interval: more than 0, and the interval at most. Slots are whole
 * milliseconds, as instants are: one that was rounded down would be a moment ahead of the look that it brought.
 */
export function msUntilOffset(domain: string, intervalMs: number, now: Date): number {
  const periodMs = Math.max(1, Math.floor(intervalMs));
  const sinceOffsetMs = (now.getTime() - Math.floor(hashOffset(domain) * periodMs)) % periodMs;
  return periodMs - (sinceOffsetMs < 0 ? sinceOffsetMs + periodMs : sinceOffsetMs);
}
