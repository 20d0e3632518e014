import type { CheckResult } from '../application/check-domain.js';
import type { DropWindow } from '../domain/drop-window.js';
import type { LifecyclePhase } from '../domain/lifecycle.js';
import type { Evidence } from '../domain/look.js';
import type { RegistrationFacts } from '../domain/registration.js';
import type { Outlook } from '../domain/outlook.js';
import type { CheckView } from './check.dto.js';
import type { DropWindowView, EvidenceView, LifecycleView } from './check-expansions.dto.js';

/** Exactly the five fields of the specification. */
export function checkView({ name, status, proof }: CheckResult): CheckView {
  return {
    domain: name.ascii,
    available: status === 'available',
    status,
    expires_at: proof.facts.expiresAt?.toISOString() ?? null,
    checked_at: proof.observedAt.toISOString(),
  };
}

export function lifecycleView(phase: LifecyclePhase, facts: RegistrationFacts, outlook: Outlook): LifecycleView {
  return {
    phase,
    registry_statuses: [...facts.statuses],
    registered_at: facts.registeredAt?.toISOString() ?? null,
    expires_at: facts.expiresAt?.toISOString() ?? null,
    publishes_expiry: outlook.publishesExpiry,
    registrable: facts.registrable,
    auto_renewed_on: outlook.autoRenewedOn?.toISOString().slice(0, 10) ?? null,
    drop_window: outlook.dropWindow && dropWindowView(outlook.dropWindow),
  };
}

export function evidenceView(evidence: Evidence): EvidenceView {
  const { source, server, outcome, rule, httpStatus, observedAt, excerpt } = evidence;
  return { source, server, outcome, rule, http_status: httpStatus, observed_at: observedAt.toISOString(), excerpt };
}

function dropWindowView({ earliest, likely, latest, basis, confidence }: DropWindow): DropWindowView {
  const text = (instant: Date | null) => instant?.toISOString() ?? null;
  return { earliest: earliest.toISOString(), likely: text(likely), latest: text(latest), basis, confidence };
}
