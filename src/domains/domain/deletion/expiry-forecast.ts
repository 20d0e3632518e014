import { publishesExpiry } from '../lifecycle/expiry-publication.js';
import { deriveLifecycle, type LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { findDeletionRule } from './deletion-rules.js';
import { autoRenewedOn, computeDropWindow, type DropWindow } from './drop-window.js';

/** What the registry's rules add to the facts. */
export interface ExpiryForecast {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

export function forecastExpiry(
  name: DomainName,
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  now: Date,
): ExpiryForecast {
  return {
    publishesExpiry: publishesExpiry(name, facts),
    autoRenewedOn: autoRenewedOn(facts, now),
    dropWindow: computeDropWindow(facts, phase, findDeletionRule(name), now),
  };
}

/** Null unless the registry is deleting the name and its rules are known. */
export function forecastDropWindow(name: DomainName, facts: RegistrationFacts, now: Date): DropWindow | null {
  const { phase } = deriveLifecycle(facts, 0, now);
  return computeDropWindow(facts, phase, findDeletionRule(name), now);
}
