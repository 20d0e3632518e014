import type { CheckResult } from './check-domain.js';
import { type DropListing, type ExpiryForecast, forecastExpiry } from '../domain/deletion/expiry-forecast.js';
import type { DropWindow } from '../domain/deletion/drop-window.js';
import type { LifecyclePhase } from '../domain/lifecycle/lifecycle.js';
import type { Evidence, AbsenceDoubt, LookupFailure, LookupErrorCode } from '../domain/lookup/lookup-result.js';
import type { RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import {
  type CheckView,
  type DropWindowView,
  type EvidenceView,
  type LifecycleView,
  type Expansion,
  toRecordView,
} from './check.dto.js';
import { DomainError } from '../../kernel/domain-error.js';

interface CheckContext {
  readonly now: Date;
  /** The name's row in an official drop list (names that a registry will delete). */
  readonly listing: DropListing | null;
  /** The id of the caller's watchlist entry for the name. */
  readonly entryId: string | null;
}

/** Returns the fields that every check has, and the optional sections that `expand` names. */
export function toCheckView(
  { name, status, lifecycle: { phase }, observation }: CheckResult,
  expand: readonly Expansion[],
  { now, listing, entryId }: CheckContext,
): CheckView {
  const { facts, evidence, record, observedAt } = observation;
  const forecast = () => forecastExpiry(name, facts, phase, now, listing);
  return {
    domain: name.ascii,
    available: status === 'available',
    status,
    expires_at: facts.expiresAt?.toISOString() ?? null,
    checked_at: observedAt.toISOString(),
    ...(expand.includes('lifecycle') && { lifecycle: toLifecycleView(phase, facts, forecast()) }),
    ...(expand.includes('evidence') && { evidence: evidence.map(toEvidenceView) }),
    ...(expand.includes('record') && { record: record ? toRecordView(record) : null }),
    ...(expand.includes('entry') && { entry_id: entryId }),
  };
}

export function toLifecycleView(
  phase: LifecyclePhase,
  facts: RegistrationFacts,
  forecast: ExpiryForecast,
): LifecycleView {
  return {
    phase,
    registry_statuses: [...facts.statuses],
    registered_at: facts.registeredAt?.toISOString() ?? null,
    expires_at: facts.expiresAt?.toISOString() ?? null,
    publishes_expiry: forecast.publishesExpiry,
    registrable: facts.registrable,
    auto_renewed_on: forecast.autoRenewedOn?.toISOString().slice(0, 10) ?? null,
    drop_window: forecast.dropWindow && toDropWindowView(forecast.dropWindow),
  };
}

export function toEvidenceView(evidence: Evidence): EvidenceView {
  const { source, server, outcome, rule, httpStatus, observedAt, excerpt } = evidence;
  return { source, server, outcome, rule, http_status: httpStatus, observed_at: observedAt.toISOString(), excerpt };
}

function toDropWindowView({ earliest, likely, latest, basis, confidence }: DropWindow): DropWindowView {
  const toText = (instant: Date | null) => instant?.toISOString() ?? null;
  return { earliest: earliest.toISOString(), likely: toText(likely), latest: toText(latest), basis, confidence };
}

const DEFAULT_RETRY_AFTER_SECONDS: Readonly<Record<LookupErrorCode, number>> = {
  registry_unreachable: 60,
  registry_answer_unusable: 300,
  registry_throttled: 60,
  registry_timeout: 30,
  tld_unsupported: 0,
};

const DOUBTS: Readonly<Record<AbsenceDoubt, string>> = {
  in_zone: 'The registry has no record of this name, but its zone had it when it last answered.',
  second_answer: 'The registry had no record of this name, and said otherwise when it was asked again.',
  canary_missing:
    'The registry has no record of this name, and is not believed at the moment: it has none of names either that exist.',
};

/** The error of a check whose registry could not be queried or gave no usable answer. */
export class RegistryLookupError extends DomainError {
  /** @param withEvidence whether the request has `expand=evidence` */
  constructor({ code, registry, retryAfterSeconds, evidence, doubt }: LookupFailure, withEvidence = false) {
    const details =
      code === 'tld_unsupported'
        ? { field: 'domain' }
        : { registry, retry_after_seconds: retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS[code] };
    const reason = doubt ? { reason: DOUBTS[doubt] } : {};
    const evidenceDetails = withEvidence ? { evidence: evidence.map(toEvidenceView) } : {};
    super(code, 'No registry gave a usable answer for this name.', { ...details, ...reason, ...evidenceDetails });
  }
}
