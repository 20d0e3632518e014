import type { Evidence } from '../../../../clients/typescript/src/index.js';
import { Text } from '../../components/text.js';
import { When } from '../../components/when.js';

const OUTCOMES: Record<string, string> = {
  found: 'has the name',
  absent: 'does not have the name',
  reserved: 'reserves the name',
  inconclusive: 'gave no clear answer',
};

/** The evidence that something rests on, closed until it is wanted. */
export function EvidenceDetails({ evidence }: { evidence: readonly Evidence[] }) {
  return (
    <details>
      <summary>Evidence ({evidence.length})</summary>
      <EvidenceList evidence={evidence} />
    </details>
  );
}

/** What each server answered, and the rule by which that was read. */
export function EvidenceList({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p class="muted">No evidence is kept.</p>;
  return (
    <ul class="evidence-list">
      {evidence.map(({ source, server, outcome, rule, http_status: status, observed_at: at, excerpt }) => (
        <li key={`${source} ${server} ${at}`} class="evidence">
          <p>
            <strong>{source.toUpperCase()}</strong> <bdi>{server}</bdi> {OUTCOMES[outcome] ?? outcome}
          </p>
          <p class="muted">
            <When at={at} show="instant" /> · rule <code>{rule}</code>
            {status !== null && <> · HTTP {status}</>}
          </p>
          {excerpt !== '' && (
            <blockquote class="excerpt">
              <Text value={excerpt} max={240} />
            </blockquote>
          )}
        </li>
      ))}
    </ul>
  );
}
