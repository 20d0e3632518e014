import type { EntryDetails, ExpandedEntry } from '../../../../clients/typescript/src/index.js';
import { phaseLabel } from '../../components/phase-words.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { soonReason } from './check-words.js';
import { PURPOSES } from '../../components/purpose-words.js';
import { describeWaiting } from '../watchlist/entry-signals.js';
import { describeInterval } from '../watchlist/interval-words.js';

const REASONS: Readonly<Record<NonNullable<EntryDetails['interval_reason']>, string>> = {
  budget: 'the rate limit of the registry allows no more',
  plan: 'the plan of the account allows no more',
  backlog: 'checks are behind',
};

export function ChecksCard({ entry, details }: { entry: ExpandedEntry; details: EntryDetails }) {
  const { pending_confirmation: pending, note, tags, renewal, remind_days: remindDays } = details;
  const { effective_interval_minutes: effective, interval_reason: reason } = details;
  const { domain, last_checked_at } = entry;
  const soon = soonReason({ ...details, domain, last_checked_at });
  return (
    <section class="card" aria-labelledby="checks">
      <h2 id="checks">Checks and reminders</h2>
      <dl class="facts">
        <dt>Last check</dt>
        <dd>
          <When at={entry.last_checked_at} otherwise="not yet" isPast />
        </dd>
        <dt>Next check</dt>
        <dd>
          <When at={details.next_check_at} otherwise={details.paused ? 'paused' : 'not scheduled'} />
          {soon !== null && <span class="muted"> ({soon})</span>}
        </dd>
        <dt>Interval</dt>
        <dd>
          {describeInterval(entry.interval_minutes)}
          {reason !== null && (
            <span class="muted">
              {' '}
              (really {describeInterval(effective)}: {REASONS[reason]})
            </span>
          )}
        </dd>
        {pending && (
          <>
            <dt>Change to confirm</dt>
            <dd>
              {phaseLabel(pending.status)}, seen <When at={pending.first_seen_at} isPast />:{' '}
              {describeWaiting(pending.waiting_for)}
            </dd>
          </>
        )}
        <dt>Purpose</dt>
        <dd>{PURPOSES[details.purpose]}</dd>
        <dt>Reminders</dt>
        <dd>{remindDays.length === 0 ? 'none' : `${remindDays.join(', ')} days before the expiry`}</dd>
        <dt>Renewal</dt>
        <dd>
          {renewal === null ? (
            <span class="muted">no day is set</span>
          ) : (
            <>
              <When at={renewal.on} show="day" /> {renewal.note !== null && <Text value={renewal.note} />}
            </>
          )}
        </dd>
        <dt>Tags</dt>
        <dd>
          {tags.length === 0 && <span class="muted">none</span>}
          <span class="tag-list">
            {tags.map((tag) => (
              <bdi key={tag} class="tag">
                {tag}
              </bdi>
            ))}
          </span>
        </dd>
        <dt>Note</dt>
        <dd>{note === null ? <span class="muted">none</span> : <Text value={note} />}</dd>
      </dl>
    </section>
  );
}
