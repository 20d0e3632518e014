import { findDeletionRule } from './deletion-rules.js';
import type { DomainName } from '../name/domain-name.js';
import { autoRenewedOn, type DropWindow, computeDropWindow } from './drop-window.js';
import { publishesExpiry } from '../lifecycle/expiry-publication.js';
import type { LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';

/** What the registry's rules add to its facts. */
export interface ExpiryForecast {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

/** @param isGeneric whether the name's TLD is a generic one, under ICANN's contracts */
export function forecastExpiry(
  name: DomainName,
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  isGeneric: boolean,
  now: Date,
): ExpiryForecast {
  return {
    publishesExpiry: publishesExpiry(name, facts),
    autoRenewedOn: autoRenewedOn(facts, now),
    dropWindow: computeDropWindow(facts, phase, findDeletionRule(name, isGeneric), now),
  };
}
