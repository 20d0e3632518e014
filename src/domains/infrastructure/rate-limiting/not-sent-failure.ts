import type { EvidenceSource, LookupFailure } from '../../domain/lookup/lookup-result.js';
import type { Rejection } from './registry-admission.js';

const EXCERPT_BY_REASON: Readonly<Record<Rejection['reason'], string>> = {
  budget: 'not asked: the budget with this operator is spent for now',
  block: 'not asked: the operator wants to be left alone for a while',
  breaker: 'not asked: the operator failed too often in a row',
};

/** A question that was not asked, as the look that came of it. */
export function toNotSentFailure(
  { reason, retryAfterSeconds }: Rejection,
  source: EvidenceSource,
  server: string,
  observedAt: Date,
): LookupFailure {
  const common = { source, server, outcome: 'inconclusive', rule: `withheld.${reason}`, httpStatus: null } as const;
  return {
    kind: 'failure',
    code: reason === 'breaker' ? 'registry_unreachable' : 'registry_throttled',
    ...{ registry: server, retryAfterSeconds, observedAt, notSent: reason },
    evidence: [{ ...common, observedAt, excerpt: EXCERPT_BY_REASON[reason] }],
  };
}
