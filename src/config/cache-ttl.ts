/** How long a check may be answered from the cache, in seconds by phase. */
export type CacheTtlSeconds = Readonly<Record<string, number>>;

const OTHER_PHASES = ['available', 'registered', 'reserved', 'hold', 'expiring', 'expired_grace'];
const DELETION_PHASES = ['redemption', 'pending_restore', 'pending_delete'];

export const BUILT_IN_CACHE_TTL: CacheTtlSeconds = {
  ...Object.fromEntries(OTHER_PHASES.map((phase) => [phase, 900])),
  ...Object.fromEntries(DELETION_PHASES.map((phase) => [phase, 60])),
  available: 60,
  reserved: 3_600,
};

/** Lays a file `{"registered": 900, …}` over the built-in table. */
export function parseCacheTtl(file: unknown, addProblem: (problem: string) => void): CacheTtlSeconds {
  const ttl: Record<string, number> = { ...BUILT_IN_CACHE_TTL };
  for (const [phase, seconds] of Object.entries((file ?? {}) as Record<string, unknown>)) {
    if (!(phase in ttl)) addProblem(`FRESHNESS_FILE: ${phase} is no phase; they are ${Object.keys(ttl).join(', ')}`);
    else if (!Number.isInteger(seconds) || (seconds as number) < 0 || (seconds as number) > 86_400)
      addProblem(`FRESHNESS_FILE: ${phase} must be whole seconds from 0 to 86400`);
    else ttl[phase] = seconds as number;
  }
  return ttl;
}
