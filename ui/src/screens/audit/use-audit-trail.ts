import { useEffect, useState } from 'preact/hooks';
import { type AuditRecord, listAuditRecords } from '../../../../clients/typescript/src/index.js';
import type { Failure } from '../../api/failure.js';
import { toFailure } from '../../api/failure.js';
import { useSession } from '../../api/session.js';
import { type ReadSpan, readNewest } from './newest-records.js';

export interface AuditQuery {
  /** A group of actions such as `key.*`; empty: all. */
  readonly action: string;
  /** How many days back. */
  readonly days: number;
}

interface ShownTrail {
  /** Newest first. */
  readonly records: readonly AuditRecord[];
  readonly olderBefore: string | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
}

const DAY_MS = 86_400_000;
const AT_MOST = 1_000;
const NOTHING_YET: ShownTrail = { records: [], olderBefore: null, failure: null, isLoading: true };

/** The account's records, newest first, a portion at a time. */
export function useAuditTrail(
  query: AuditQuery,
): ShownTrail & { readonly more: () => void; readonly reload: () => void } {
  const { client } = useSession();
  const [trail, setTrail] = useState<ShownTrail>(NOTHING_YET);
  const [round, setRound] = useState(0);
  const { action, days } = query;
  const load = async (before: string, known: readonly AuditRecord[], signal?: AbortSignal) => {
    const read: ReadSpan = async (span) => {
      const filter = { ...span, limit: AT_MOST, ...(action !== '' && { action }) };
      const answer = await listAuditRecords({ client, throwOnError: true, query: filter, signal: signal ?? null });
      return answer.data;
    };
    const oldest = new Date(Date.now() - days * DAY_MS).toISOString();
    setTrail((shown) => ({ ...shown, failure: null, isLoading: true }));
    try {
      const { records, olderBefore } = await readNewest(read, before, oldest);
      setTrail({ records: [...known, ...records], olderBefore, failure: null, isLoading: false });
    } catch (error) {
      if (signal?.aborted !== true) setTrail((shown) => ({ ...shown, failure: toFailure(error), isLoading: false }));
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    // A clock that is behind the service's would hide what has just happened.
    void load(new Date(Date.now() + DAY_MS).toISOString(), [], controller.signal);
    return () => controller.abort();
  }, [action, days, round]);
  const more = () => trail.olderBefore !== null && void load(trail.olderBefore, trail.records);
  return { ...trail, more, reload: () => setRound((before) => before + 1) };
}
