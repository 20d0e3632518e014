import type { Ask } from '../crypto/data-key.js';

export interface LiveProcess {
  readonly role: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** True if the process missed two heartbeats. Then it was killed, or cannot reach the database. */
  readonly isSilent: boolean;
  /** Ids of the master keys in its settings. */
  readonly masterKeys: readonly string[];
}

/** Lists all processes except those that shut down normally. */
export function listProcesses(ask: Ask): Promise<LiveProcess[]> {
  return ask<LiveProcess>(`
    select role, version, host, pid, started_at as "startedAt", seen_at as "seenAt", master_keys as "masterKeys",
      seen_at < now() - interval '90 seconds' as "isSilent"
    from processes order by role, started_at, id`);
}
