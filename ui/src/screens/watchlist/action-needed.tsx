import { useEffect } from 'preact/hooks';
import { getWatchlistSummary, type WatchlistNeeds } from '../../../../clients/typescript/src/index.js';
import { useLiveReload } from '../../api/live.js';
import { useSession } from '../../api/session.js';
import { useRequest } from '../../api/use-request.js';
import type { Tone } from '../../components/phase-words.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ROUTES } from '../../routes.js';
import { formatQuery, type ListQuery } from './list-query.js';

interface Need {
  readonly label: string;
  readonly tone: Tone;
  /** The list that has these names; null: they are no names. */
  readonly query: Partial<ListQuery> | null;
}

/** In the order in which they press. */
const NEEDS = {
  lost: { label: 'Lost: anyone can register them', tone: 'bad', query: { status: 'available', intent: 'own' } },
  about_to_be_deleted: {
    label: 'About to be deleted',
    tone: 'bad',
    query: { phase: 'pending_delete', intent: 'own' },
  },
  available_and_wanted: {
    label: 'Available and wanted',
    tone: 'good',
    query: { status: 'available', intent: 'acquire' },
  },
  in_grace: { label: 'In grace: renew today', tone: 'bad', query: { phase: 'expired_grace' } },
  in_redemption: { label: 'In redemption', tone: 'bad', query: { phase: 'redemption' } },
  expires_within_30_days: {
    label: 'Expire within 30 days',
    tone: 'warn',
    query: { expiresWithinDays: 30, sort: 'expires_at' },
  },
  not_as_expected: { label: 'Not as expected', tone: 'warn', query: { drift: true } },
  failing: { label: 'Check failing', tone: 'bad', query: { failing: true } },
  never_answered: { label: 'Never answered', tone: 'note', query: { answered: false } },
  failing_channels: { label: 'Notification channels failing', tone: 'bad', query: null },
} as const satisfies Readonly<Record<keyof WatchlistNeeds, Need>>;

/** What needs action, each a number that leads to its list. @param listed changes whenever the list was read again */
export function ActionNeeded({ listed }: { listed: unknown }) {
  const { client } = useSession();
  const { data, failure, reload } = useRequest((signal) => getWatchlistSummary({ client, signal }), []);
  useLiveReload(reload, () => true);
  useEffect(reload, [listed]);
  const needs = Object.entries(NEEDS).flatMap(([name, need]) => {
    const count = data?.action_needed[name as keyof WatchlistNeeds] ?? 0;
    return count > 0 ? [{ ...need, name, count }] : [];
  });
  if (failure) return <ProblemNote failure={failure} onRetry={reload} />;
  if (data === null || data.entries === 0) return null;
  return (
    <section class="card action-needed" aria-labelledby="action-needed">
      <h2 id="action-needed">Action needed</h2>
      {needs.length === 0 ? (
        <p class="muted">Nothing needs action.</p>
      ) : (
        <ul class="needs">
          {needs.map(({ name, label, tone, query, count }) => (
            <li key={name}>
              <a class="need" data-tone={tone} href={query ? needPath(query) : ROUTES.notifications}>
                <b>{count.toLocaleString('en')}</b> {label}
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function needPath(query: Partial<ListQuery>): string {
  return `${ROUTES.watchlist}${formatQuery({ ...query, paused: false })}`;
}
