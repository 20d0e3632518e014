import type { CheckResult } from './check-domain.js';
import type { DropWindow } from '../domain/deletion/drop-window.js';
import type { LifecyclePhase } from '../domain/lifecycle/lifecycle.js';
import type { Evidence } from '../domain/lookup/lookup-result.js';
import type { RegistrationFacts } from '../domain/lifecycle/registration-facts.js';
import type { ExpiryForecast } from '../domain/deletion/expiry-forecast.js';
import type { CheckView } from './check.dto.js';
import type { DropWindowView, EvidenceView, LifecycleView } from './check-expansions.dto.js';

/** Exactly the five fields of the specification. */
export function toCheckView({ name, status, observation }: CheckResult): CheckView {
  return {
    domain: name.ascii,
    available: status === 'available',
    status,
    expires_at: observation.facts.expiresAt?.toISOString() ?? null,
    checked_at: observation.observedAt.toISOString(),
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
