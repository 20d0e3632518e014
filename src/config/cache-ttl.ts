/** For how long a check may answer from an earlier look, in seconds by phase. */
export type Freshness = Readonly<Record<string, number>>;

const PHASES = ['available', 'registered', 'reserved', 'hold', 'expiring', 'expired_grace'];
const DELETION = ['redemption', 'pending_restore', 'pending_delete'];

export const BUILT_IN_FRESHNESS: Freshness = {
  ...Object.fromEntries(PHASES.map((phase) => [phase, 900])),
  ...Object.fromEntries(DELETION.map((phase) => [phase, 60])),
  available: 60,
  reserved: 3_600,
};

/** Lays a file `{"registered": 900, …}` over the built-in table. */
export function freshnessFrom(file: unknown, complain: (problem: string) => void): Freshness {
  const table: Record<string, number> = { ...BUILT_IN_FRESHNESS };
  for (const [phase, seconds] of Object.entries((file ?? {}) as Record<string, unknown>)) {
    if (!(phase in table)) complain(`FRESHNESS_FILE: ${phase} is no phase; they are ${Object.keys(table).join(', ')}`);
    else if (!Number.isInteger(seconds) || (seconds as number) < 0 || (seconds as number) > 86_400)
      complain(`FRESHNESS_FILE: ${phase} must be whole seconds from 0 to 86400`);
    else table[phase] = seconds as number;
  }
  return table;
}
