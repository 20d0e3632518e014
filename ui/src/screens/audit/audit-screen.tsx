import { useEffect, useState } from 'preact/hooks';
import { type AuditRecord, listAuditRecords } from '../../../../clients/typescript/src/index.js';
import { type Failure, toFailure } from '../../api/call.js';
import { useSession } from '../../api/session.js';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText, Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { importPath } from '../../routes.js';
import { TakeBack } from '../watchlist/take-back.js';
import {
  ACTION_GROUPS,
  actionText,
  actorText,
  attributeLines,
  addingImport,
  joinRuns,
  nameLink,
} from './audit-words.js';
import { RunRecords } from './run-records.js';
import { readNewest, type ReadSpan } from './newest-records.js';

const PERIODS: readonly { readonly days: number; readonly label: string }[] = [
  { days: 1, label: 'Last 24 hours' },
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
  { days: 400, label: 'All that is kept' },
];

export function AuditScreen() {
  const [query, setQuery] = useState<AuditQuery>({ action: '', days: 30 });
  const { records, olderBefore, failure, isLoading, more, reload } = useAuditTrail(query);
  const refresh = (
    <button type="button" class="button" disabled={isLoading} onClick={reload}>
      <Icon name="refresh" /> Refresh
    </button>
  );
  return (
    <Page title="Audit trail" actions={refresh}>
      <p class="muted">
        Who added, changed or removed names, keys and channels, imported files, or was refused. The history of each name
        is on its own page, also of those that were removed.
      </p>
      <AuditFilters query={query} onChange={(part) => setQuery((before) => ({ ...before, ...part }))} />
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {records.length > 0 && <AuditTable records={records} isLoading={isLoading} onTakenBack={reload} />}
      {isLoading && <Loading />}
      {!isLoading && !failure && records.length === 0 && (
        <EmptyState title="Nothing in this time">
          <p>Choose a longer time, or another kind of act.</p>
        </EmptyState>
      )}
      <div class="audit-foot">
        <p class="muted" role="status">
          {!isLoading && records.length > 0 && `${records.length.toLocaleString('en')} shown, newest first`}
        </p>
        {olderBefore !== null && (
          <button type="button" class="button" disabled={isLoading} onClick={more}>
            Show older ones
          </button>
        )}
      </div>
    </Page>
  );
}

interface AuditFiltersProps {
  readonly query: AuditQuery;
  readonly onChange: (part: Partial<AuditQuery>) => void;
}

function AuditFilters({ query: { action, days }, onChange }: AuditFiltersProps) {
  return (
    <search class="toolbar">
      <label class="field">
        <span class="field-label">What</span>
        <select value={action} onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}>
          <option value="">Everything</option>
          {ACTION_GROUPS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span class="field-label">When</span>
        <select value={days} onChange={({ currentTarget }) => onChange({ days: Number(currentTarget.value) })}>
          {PERIODS.map((period) => (
            <option key={period.days} value={period.days}>
              {period.label}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

interface AuditTableProps {
  readonly records: readonly AuditRecord[];
  readonly isLoading: boolean;
  readonly onTakenBack: () => void;
}

function AuditTable({ records, isLoading, onTakenBack }: AuditTableProps) {
  return (
    <div class="table-box" role="region" aria-label="Table of acts" aria-busy={isLoading} tabIndex={0}>
      <table class="table stacked audit-table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">Who</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {joinRuns(records).map((record) => (
            <AuditRow key={record.id} record={record} onTakenBack={onTakenBack} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AuditRow({ record, onTakenBack }: { record: AuditRecord; onTakenBack: () => void }) {
  const {
    occurred_at: at,
    action,
    actor,
    target_id: targetId,
    run_id: runId,
    address,
    user_agent: agent,
    request_id: request,
    client_request_id: clientRequest,
  } = record;
  const lines = attributeLines(record);
  const link = nameLink(record);
  const added = addingImport(record);
  return (
    <tr>
      <td data-label="When" class="audit-when">
        <When at={at} show="instant" />
      </td>
      <td data-label="What">
        {action === 'authentication.refused' ? (
          <Badge tone="bad">{actionText(record)}</Badge>
        ) : (
          <strong>{actionText(record)}</strong>
        )}
        {lines.length > 0 && (
          <ul class="plain-list audit-attributes muted">
            {lines.map((line) => (
              <li key={line}>
                <Text value={line} max={160} />
              </li>
            ))}
          </ul>
        )}
        {link !== null && (
          <p>
            <a href={link}>{action === 'watchlist.removed' ? 'Its history' : 'The name'}</a>
          </p>
        )}
        {added !== null && (
          <p class="button-row">
            <a href={importPath(added)}>What it added</a>
            <TakeBack importId={added} onDone={onTakenBack} />
          </p>
        )}
        {runId !== null && <RunRecords runId={runId} />}
        {(targetId !== null || request !== null) && (
          <details class="audit-ids">
            <summary>Ids</summary>
            <p class="muted">
              {targetId !== null && (
                <>
                  of what it concerns: <code>{targetId}</code>
                  <br />
                </>
              )}
              {request !== null && (
                <>
                  of the request: <code>{request}</code>
                </>
              )}
              {clientRequest !== null && (
                <>
                  <br />
                  the client’s own: <code>{clientRequest}</code>
                </>
              )}
            </p>
          </details>
        )}
      </td>
      <td data-label="Who">
        <ShortText value={actorText(actor)} max={60} />
      </td>
      <td data-label="From">
        {address === null ? <span class="muted">–</span> : <bdi>{address}</bdi>}
        {agent !== null && (
          <span class="audit-agent muted">
            <ShortText value={agent} max={48} />
          </span>
        )}
      </td>
    </tr>
  );
}

interface AuditQuery {
  /** A group of actions such as `key.*`; empty for all. */
  readonly action: string;
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

/** Reads the account's records in portions, newest first. */
function useAuditTrail(query: AuditQuery): ShownTrail & { readonly more: () => void; readonly reload: () => void } {
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
    // Reads up to tomorrow. Otherwise a slow clock of the browser would hide the newest records.
    void load(new Date(Date.now() + DAY_MS).toISOString(), [], controller.signal);
    return () => controller.abort();
  }, [action, days, round]);
  const more = () => trail.olderBefore !== null && void load(trail.olderBefore, trail.records);
  return { ...trail, more, reload: () => setRound((before) => before + 1) };
}
