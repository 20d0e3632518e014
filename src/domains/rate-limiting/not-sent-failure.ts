import type { EvidenceSource, LookupFailure } from '../domain/lookup/lookup-result.js';
import type { Rejection } from './registry-admission.js';

const EXCERPT_BY_REASON: Readonly<Record<Rejection['reason'], string>> = {
  budget: 'not sent: rate limit of this operator used up',
  block: 'not sent: operator blocked by Retry-After',
  breaker: 'not sent: circuit breaker of this operator is open',
};

/** The failure of a lookup that the rate limiter rejected. */
export function toNotSentFailure(
  { reason, retryAfterSeconds }: Rejection,
  source: EvidenceSource,
  server: string,
  observedAt: Date,
): LookupFailure {
  const common = { source, server, outcome: 'inconclusive', rule: `not_sent.${reason}`, httpStatus: null } as const;
  return {
    kind: 'failure',
    code: reason === 'breaker' ? 'registry_unreachable' : 'registry_throttled',
    ...{ registry: server, retryAfterSeconds, observedAt, notSent: reason },
    evidence: [{ ...common, observedAt, excerpt: EXCERPT_BY_REASON[reason] }],
  };
}
