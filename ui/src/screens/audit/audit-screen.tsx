import { useState } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state.js';
import { Icon } from '../../components/icon.js';
import { Loading } from '../../components/loading.js';
import { Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ACTION_GROUPS } from './audit-words.js';
import { AuditTable } from './audit-table.js';
import { type AuditQuery, useAuditTrail } from './use-audit-trail.js';

const PERIODS: readonly { readonly days: number; readonly label: string }[] = [
  { days: 1, label: 'Last 24 hours' },
  { days: 7, label: 'Last 7 days' },
  { days: 30, label: 'Last 30 days' },
  { days: 400, label: 'All that is kept' },
];

/** Who did what, when and from where. */
export function AuditScreen() {
  const [query, setQuery] = useState<AuditQuery>({ action: '', days: 30 });
  const { records, olderBefore, failure, isLoading, more, reload } = useAuditTrail(query);
  const refresh = (
    <button type="button" class="button" disabled={isLoading} onClick={reload}>
      <Icon name="refresh" /> Read again
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
      {records.length > 0 && <AuditTable records={records} isLoading={isLoading} />}
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
