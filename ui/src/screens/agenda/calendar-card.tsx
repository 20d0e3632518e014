import { useState } from 'preact/hooks';
import {
  getCalendarAddress,
  makeCalendarAddress,
  revokeCalendarAddress,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { useAction, useRequest } from '../../api/use-request.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShownOnce } from '../../components/shown-once.js';
import { useToasts } from '../../components/toasts.js';
import { When } from '../../components/when.js';
import { SERVICE_URL } from '../../routes.js';

/** Creates, shows once, and revokes the address with which calendar programs read the agenda. */
export function CalendarCard() {
  const { client, can } = useSession();
  const { show } = useToasts();
  const address = useRequest((signal) => getCalendarAddress({ client, signal }), []);
  const making = useAction();
  const revoking = useAction();
  const [url, setUrl] = useState<string | null>(null);
  const [asked, setAsked] = useState<'make' | 'revoke' | null>(null);
  const isActive = address.data?.active === true;
  const make = () =>
    making.run(makeCalendarAddress({ client }), (made) => {
      setUrl(new URL(made.url, `${SERVICE_URL}/`).href);
      setAsked(null);
      address.reload();
    });
  const revoke = () =>
    revoking.run(revokeCalendarAddress({ client }), () => {
      show({ text: 'The calendar address was revoked.' });
      setUrl(null);
      setAsked(null);
      address.reload();
    });
  return (
    <section class="card stack calendar-card" aria-labelledby="calendar-address">
      <h2 id="calendar-address">In your calendar</h2>
      <p class="muted">
        Calendar programs can subscribe to an address with the dates of all names. Whoever has it can read them, with
        tags and notes. Add ?tag= or ?purpose=own to it for some of the names.
      </p>
      {address.failure && <ProblemNote failure={address.failure} onRetry={address.reload} />}
      {address.data && (
        <p>
          {isActive ? (
            <>
              There is an address since <When at={address.data.created_at} show="day" />, last read{' '}
              <When at={address.data.last_used_at} otherwise="never" isPast />.
            </>
          ) : (
            'There is no address yet.'
          )}
        </p>
      )}
      {url !== null && (
        <ShownOnce
          label="Calendar address"
          value={url}
          hint="Subscribe to it in your calendar program."
          onDone={() => setUrl(null)}
        />
      )}
      {making.failure && <ProblemNote failure={making.failure} />}
      {address.data && can('watchlist:write') && (
        <div class="button-row">
          <button
            type="button"
            class="button"
            disabled={making.isBusy}
            onClick={() => (isActive ? setAsked('make') : make())}
          >
            {isActive ? 'Make a new address…' : 'Make an address'}
          </button>
          {isActive && (
            <button type="button" class="button danger" onClick={() => setAsked('revoke')}>
              Revoke it…
            </button>
          )}
        </div>
      )}
      {asked === 'make' && (
        <ConfirmDialog
          title="Make a new address?"
          confirmLabel="Make it"
          action={making}
          onConfirm={make}
          onClose={() => setAsked(null)}
        >
          <p>The former address ends: calendars that subscribe to it get nothing any more.</p>
        </ConfirmDialog>
      )}
      {asked === 'revoke' && (
        <ConfirmDialog
          title="Revoke the address?"
          confirmLabel="Revoke"
          action={revoking}
          onConfirm={revoke}
          onClose={() => setAsked(null)}
        >
          <p>Calendars that subscribe to it get nothing any more.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
