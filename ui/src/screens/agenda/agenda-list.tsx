import type { DropWindow } from '../../../../clients/typescript/src/index.js';
import { Badge, PhaseBadge } from '../../components/badge.js';
import type { Tone } from '../../components/phase-words.js';
import { Text } from '../../components/text.js';
import { namePath } from '../../routes.js';
import { type AgendaItem, daysBetween, itemsByFirstDay } from './agenda.js';
import { dayHeadingId } from './agenda-calendar.js';
import type { Agenda } from './read-agenda.js';

const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Lists the events day by day. Leaves out days without events. */
export function AgendaList({
  agenda: { items, undated, isCut, areRenewalsCut },
  today,
}: {
  agenda: Agenda;
  today: string;
}) {
  const days = [...itemsByFirstDay(items)].sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <div class="agenda-list">
      {days.map(([day, ofDay]) => (
        <section key={day} class="card agenda-of-day" aria-labelledby={dayHeadingId(day)}>
          <h2 id={dayHeadingId(day)} tabIndex={-1}>
            {longDay.format(new Date(day))} <span class="muted">{relative.format(daysBetween(today, day), 'day')}</span>
          </h2>
          <ul>
            {ofDay.map((item) => (
              <AgendaLine key={item.entryId} item={item} />
            ))}
          </ul>
        </section>
      ))}
      {undated.length > 0 && (
        <section class="card agenda-of-day" aria-labelledby="undated">
          <h2 id="undated">Being deleted, day not known</h2>
          <p class="muted">
            Their registries publish no rule for the day. They are checked often until they are available.
          </p>
          <ul>
            {undated.map(({ entryId, domain, phase }) => (
              <li key={entryId}>
                <a class="domain" href={namePath(domain)}>
                  {domain}
                </a>
                <PhaseBadge phase={phase} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {isCut && (
        <p class="muted" role="note">
          There are more names than are shown here: the first 500 are. The watchlist, sorted by expiry, has all of them.
        </p>
      )}
      {areRenewalsCut && (
        <p class="muted" role="note">
          More than 500 names have no published expiry: renewals that you set are shown for the first 500 of them.
        </p>
      )}
    </div>
  );
}

const KINDS: Record<AgendaItem['kind'], { readonly label: string; readonly tone: Tone }> = {
  expiry: { label: 'Expires', tone: 'warn' },
  renewal: { label: 'Renew', tone: 'calm' },
  drop: { label: 'May drop', tone: 'note' },
};

function AgendaLine({ item: { domain, kind, at, dropWindow, note } }: { item: AgendaItem }) {
  const { label, tone } = KINDS[kind];
  return (
    <li>
      <a class="domain" href={namePath(domain)}>
        {domain}
      </a>
      <Badge tone={tone}>{label}</Badge>
      <span class="muted">
        {kind === 'renewal' ? (
          <>
            the day that you set{note !== null && ': '}
            {note !== null && <Text value={note} max={120} />}
          </>
        ) : (
          <time dateTime={at}>{dropWindow ? windowText(dropWindow) : `at ${time.format(new Date(at))} UTC`}</time>
        )}
      </span>
    </li>
  );
}

/** Returns a text such as `from 26 Nov, 04:00 to 1 Dec, 04:00 UTC, high confidence`. */
function windowText({ earliest, latest, confidence }: DropWindow): string {
  const end = latest === null ? '' : ` to ${dayAndTime.format(new Date(latest))}`;
  return `from ${dayAndTime.format(new Date(earliest))}${end} UTC, ${confidence} confidence`;
}
