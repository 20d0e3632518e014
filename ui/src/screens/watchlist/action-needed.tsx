import { useRef } from 'preact/hooks';
import type { WatchlistNeeds } from '../../../../clients/typescript/src/index.js';
import { Icon } from '../../components/icon.js';
import type { Tone } from '../../components/phase-words.js';
import { useNow } from '../../components/when.js';
import { ROUTES } from '../../routes.js';
import { formatQuery, type ListQuery } from './list-query.js';

interface Need {
  readonly label: string;
  readonly urgency: string;
  readonly tone: Tone;
  /** The filters of the list with these names; null if there is no list. */
  readonly query: Partial<ListQuery> | null;
}

const NEEDS = {
  lost: {
    label: 'of yours are free: anyone can register them',
    urgency: 'Lost',
    tone: 'bad',
    query: { status: 'available', purpose: 'own' },
  },
  about_to_be_deleted: {
    label: 'of yours are about to be deleted',
    urgency: 'Too late',
    tone: 'bad',
    query: { phase: 'pending_delete', purpose: 'own' },
  },
  in_redemption: {
    label: 'in redemption: restore them',
    urgency: 'Now',
    tone: 'bad',
    query: { phase: 'redemption' },
  },
  in_grace: {
    label: 'expired, in grace: renew them',
    urgency: 'Today',
    tone: 'bad',
    query: { phase: 'expired_grace' },
  },
  not_as_expected: { label: 'not as expected', urgency: 'Check', tone: 'bad', query: { drift: true } },
  available_and_wanted: {
    label: 'free, and you want to buy them',
    urgency: 'Buy',
    tone: 'good',
    query: { status: 'available', purpose: 'acquire' },
  },
  failing_channels: { label: 'notification channels failing', urgency: 'Fix', tone: 'warn', query: null },
  failing: { label: 'checks failing', urgency: 'Look', tone: 'warn', query: { failing: true } },
  expires_within_30_days: {
    label: 'expire within 30 days',
    urgency: 'Soon',
    tone: 'warn',
    query: { expiresWithinDays: 30 },
  },
  never_answered: { label: 'never checked successfully', urgency: 'Wait', tone: 'note', query: { answered: false } },
} as const satisfies Readonly<Record<keyof WatchlistNeeds, Need>>;

/** Shows each reason for action as a line that leads to its names. Leaves out reasons without names. */
export function ActionNeeded({ needed: counted }: { needed: WatchlistNeeds }) {
  const needed = useWithoutNew(counted);
  const needs = Object.entries(NEEDS).flatMap(([name, need]) => {
    const count = needed[name as keyof WatchlistNeeds] ?? 0;
    return count > 0 ? [{ ...need, name, count }] : [];
  });
  return (
    <section class="card action-needed" aria-labelledby="action-needed">
      <h2 id="action-needed">Action needed</h2>
      {needs.length === 0 ? (
        <p class="all-well">
          <Icon name="check" /> Nothing needs action. The next expiry is at the top of the list.
        </p>
      ) : (
        <ul class="needs">
          {needs.map(({ name, label, urgency, tone, query, count }) => (
            <li key={name}>
              <a class="need" data-tone={tone} href={query ? needPath(query) : ROUTES.notifications}>
                <span class="need-urgency">{urgency}</span>
                <b>{count.toLocaleString('en')}</b> <span>{label}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Leaves out names that were just added, since their first check takes a moment. */
function useWithoutNew(needed: WatchlistNeeds): WatchlistNeeds {
  const now = useNow();
  const usual = useRef(needed.never_answered);
  const since = useRef(now.getTime());
  if (needed.never_answered <= usual.current) {
    usual.current = needed.never_answered;
    since.current = now.getTime();
  } else if (now.getTime() - since.current > FIRST_CHECK_MS) usual.current = needed.never_answered;
  return { ...needed, never_answered: usual.current };
}

const FIRST_CHECK_MS = 120_000;

function needPath(query: Partial<ListQuery>): string {
  return `${ROUTES.watchlist}${formatQuery({ ...query, paused: false })}`;
}
