import type { EntryDetails } from '../../../../clients/typescript/src/index.js';
import { Badge, PhaseBadge } from '../../components/badge.js';
import { phaseLabel } from '../../components/phase-words.js';
import { describeInstant } from '../../components/time-text.js';
import { failureReason } from '../name/check-words.js';
import { driftLabel } from '../name/record-words.js';

type WaitingFor = NonNullable<EntryDetails['pending_confirmation']>['waiting_for'];

const WAITING: Readonly<Record<WaitingFor, string>> = {
  second_lookup: 'waits for a second check',
  no_delegation: 'DNS still has the name',
  canary: 'waits until the registry finds names that exist',
};

export function describeWaiting(waitingFor: WaitingFor): string {
  return WAITING[waitingFor];
}

type Signals = Pick<EntryDetails, 'phase' | 'paused' | 'failing' | 'pending_confirmation' | 'drift'>;

interface EntrySignalsProps {
  readonly entry: Signals;
  /** null while the status is only the initial status. */
  readonly lastCheckedAt: string | null;
}

/** Shows the phase and the most important facts beside it. */
export function EntrySignals({ entry, lastCheckedAt }: EntrySignalsProps) {
  const { phase, paused, failing, pending_confirmation: pending, drift } = entry;
  return (
    <span class="signals">
      {lastCheckedAt === null ? <Badge tone="note">Not checked yet</Badge> : <PhaseBadge phase={phase} />}
      {pending && (
        <span title={`One check found this ${describeInstant(new Date(pending.first_seen_at))}`}>
          <Badge tone="note">{`Confirming: ${phaseLabel(pending.status)}`}</Badge>
        </span>
      )}
      {failing && (
        <span title={`${failureReason(failing.code)}, since ${describeInstant(new Date(failing.since))}`}>
          <Badge tone="bad">Check failing</Badge>
        </span>
      )}
      {drift.length > 0 && (
        <span title={driftLabel(drift)}>
          <Badge tone="warn">Not as expected</Badge>
        </span>
      )}
      {paused && <Badge tone="calm">Paused</Badge>}
    </span>
  );
}
