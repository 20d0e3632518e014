import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type {
  EntryDetails,
  ExpandedEntry,
  Record as RegistrationRecord,
} from '../../../../clients/typescript/src/index.js';
import { useSession } from '../../api/session.js';
import { Icon } from '../../components/icon.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';
import { ExpectedDialog, ExpectedFacts } from './expected-dialog.js';
import { driftSentences, dsText, registrarText } from './record-words.js';

interface RecordCardProps {
  readonly entry: ExpandedEntry;
  readonly details: EntryDetails;
  readonly onChanged: () => void;
}

export function RecordCard({ entry, details: { expected, drift }, onChanged }: RecordCardProps) {
  const { can } = useSession();
  const [isEditing, setEditing] = useState(false);
  const record = entry.record ?? null;
  return (
    <section class="card" aria-labelledby="record">
      <div class="card-head">
        <h2 id="record">Registration record</h2>
        {can('watchlist:write') && (
          <button type="button" class="button small" onClick={() => setEditing(true)}>
            Expected values…
          </button>
        )}
      </div>
      {drift.length > 0 && (
        <div class="drift" role="note" aria-label="Not as expected">
          <Icon name="warning" />
          <ul class="plain-list">
            {driftSentences(drift, expected, record).map((sentence) => (
              <li key={sentence}>
                <Text value={sentence} max={300} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {record === null ? (
        <p class="muted">
          Nothing yet: name servers, registrar, locks and DNSSEC appear here with the first answer of the registry.
        </p>
      ) : (
        <RecordFacts record={record} />
      )}
      <ExpectedFacts expected={expected} hasDrift={drift.length > 0} hasRecord={record !== null} />
      {isEditing && (
        <ExpectedDialog entryId={entry.id} record={record} onSaved={onChanged} onClose={() => setEditing(false)} />
      )}
    </section>
  );
}

const UNKNOWN = <span class="muted">not published</span>;

function RecordFacts({ record }: { record: RegistrationRecord }) {
  const { nameservers, registrar, statuses, locked, ds, last_transfer: lastTransfer } = record;
  return (
    <dl class="facts">
      <dt>Registrar</dt>
      <dd>{registrar === null ? UNKNOWN : <Text value={registrarText(registrar)} />}</dd>
      <dt>Name servers</dt>
      <dd>
        <Lines values={nameservers} none="none: it is not delegated" />
      </dd>
      <dt>Transfers</dt>
      <dd>{locked === null ? UNKNOWN : locked ? 'locked' : 'allowed'}</dd>
      <dt>Statuses</dt>
      <dd>
        <Lines values={statuses} none="none" />
      </dd>
      <dt>DNSSEC</dt>
      <dd>
        <Lines values={ds?.map(dsText) ?? null} none="not signed" />
      </dd>
      <dt>Last transfer</dt>
      <dd>
        <When at={lastTransfer} show="day" otherwise="not published" />
      </dd>
    </dl>
  );
}

/** Shows each value on its own line. null means that the registry does not publish the values. */
function Lines({ values, none }: { values: readonly string[] | null; none: string }): ComponentChildren {
  if (values === null) return UNKNOWN;
  if (values.length === 0) return <>{none}</>;
  return (
    <ul class="plain-list">
      {values.map((value) => (
        <li key={value}>
          <Text value={value} />
        </li>
      ))}
    </ul>
  );
}
