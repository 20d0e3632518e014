import type { Check } from '../../../../clients/typescript/src/index.js';
import { PhaseBadge } from '../../components/badge.js';
import { When } from '../../components/when.js';
import { EvidenceDetails } from './evidence-list.js';

/** What the registry answered just now. */
export function CheckResult({ check, isWatched }: { check: Check; isWatched: boolean }) {
  const phase = check.lifecycle?.phase ?? check.status;
  return (
    <section class="card check-result" role="status" aria-label="Check">
      <p class="history-head">
        <PhaseBadge phase={phase} />
        <span>
          {check.available ? 'The registry does not have this name' : 'The registry answered'},{' '}
          <When at={check.checked_at} isPast />.
          {check.expires_at !== null && (
            <>
              {' '}
              It expires <When at={check.expires_at} show="day" />.
            </>
          )}
        </span>
      </p>
      {isWatched && <p class="muted">A change becomes part of the history when a second check has confirmed it.</p>}
      {check.evidence && <EvidenceDetails evidence={check.evidence} />}
    </section>
  );
}
