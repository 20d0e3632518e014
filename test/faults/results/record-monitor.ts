import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.js';
import { RECORD_KINDS, type RecordValues } from '../world/held-record.js';

interface Shown {
  readonly domain: string;
  /** Has a member for each kind: a fingerprint alone is steady. */
  readonly state: string | null;
  /** Has the value of each kind as JSON. */
  readonly values: Readonly<Record<string, string>> | null;
}

type StoredState = Readonly<Record<string, string | { readonly candidate: object | null }>>;

/**
 * Of each name that was looked up since its last entry exists: an entry is shown and told what was seen since then. Another
 * account's check may be older, and a registry that leaves out what it showed before shows the second account nothing.
 */
const SHOWN = `
  select w.domain, w.record_state as state, (
    select json_object_agg(r.kind, r.value) from registration_records r
    where r.domain = w.domain and r.last_seen_at is null) as values
  from watched_names w where w.domain = any($1)
    and not exists (select from watch_entries e where e.domain = w.domain and e.created_at > w.last_checked_at)`;

const SAMPLE_INTERVAL_MS = 250;

/** Reads from the database which registration records the service shows. */
export class RecordMonitor {
  private shown = new Map<string, Shown>();

  constructor(
    private readonly cluster: Pick<Cluster, 'postgres' | 'registries'>,
    private readonly names: readonly string[],
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.sample().catch(() => undefined); // PostgreSQL stays down: the last sample stays
      await pause(SAMPLE_INTERVAL_MS);
    }
  }

  /** Whether the name's record is the registry's, confirmed, with no other value pending, for all its entries. */
  isShown(name: string): boolean {
    const shown = this.shown.get(name);
    const truth = this.cluster.registries.histories.get(name)?.values;
    return shown !== undefined && isSettled(shown.state) && isEqual(shown.values, truth);
  }

  private async sample(): Promise<void> {
    const shown = await this.cluster.postgres.query<Shown>(SHOWN, [this.names]);
    this.shown = new Map(shown.map((one) => [one.domain, one]));
  }
}

function isSettled(state: string | null): boolean {
  const kinds = state === null ? {} : (JSON.parse(state) as StoredState);
  return RECORD_KINDS.every((kind) => {
    const known = kinds[kind];
    return typeof known === 'object' ? known.candidate === null : known !== undefined;
  });
}

function isEqual(stored: Shown['values'], truth: RecordValues | null | undefined): boolean {
  return RECORD_KINDS.every((kind) => isDeepStrictEqual(JSON.parse(stored?.[kind] ?? 'null'), truth?.[kind] ?? null));
}
