import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { RegistrationRecord } from '../record/registration-record.js';
import type { Evidence, EvidenceSource, LookupErrorCode, LookupResult } from './lookup-result.js';

/** The meaning of one registry response, and the id of the rule that decided it. */
export type ParsedResponse = { readonly rule: string; readonly excerpt: string } & (
  | { readonly kind: 'facts'; readonly facts: RegistrationFacts; readonly record?: RegistrationRecord }
  | { readonly kind: 'failure'; readonly code: LookupErrorCode; readonly retryAfterSeconds: number | null }
);

export interface ResponseOrigin {
  readonly source: EvidenceSource;
  /** `host`, or `host:port`. */
  readonly server: string;
  readonly httpStatus: number | null;
  readonly observedAt: Date;
}

export function toLookupResult(
  parsed: ParsedResponse,
  { source, server, httpStatus, observedAt }: ResponseOrigin,
): LookupResult {
  const { rule, excerpt } = parsed;
  const outcome = parsed.kind === 'facts' ? parsed.facts.outcome : 'inconclusive';
  const evidence: Evidence[] = [{ source, server, outcome, rule, httpStatus, observedAt, excerpt }];
  if (parsed.kind === 'failure') {
    const { code, retryAfterSeconds } = parsed;
    return { kind: 'failure', code, registry: server, retryAfterSeconds, observedAt, evidence };
  }
  const { facts, record } = parsed;
  const records = record && { record };
  return { kind: 'observation', facts, ...records, source, observedAt, evidence, witnesses: 1, recheckWithinMs: null };
}
