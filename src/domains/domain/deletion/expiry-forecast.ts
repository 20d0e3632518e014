import { publishesExpiry } from '../lifecycle/expiry-publication.js';
import { deriveLifecycle, type LifecyclePhase } from '../lifecycle/lifecycle.js';
import type { RegistrationFacts } from '../lifecycle/registration-facts.js';
import type { DomainName } from '../name/domain-name.js';
import { findDeletionRule } from './deletion-rules.js';
import { computeListedDropWindow, type DropListing } from './drop-listing.js';
import { autoRenewedOn, computeDropWindow, type DropWindow, type ObservedDeletion } from './drop-window.js';

/** What the registry's rules add to the facts. */
export interface ExpiryForecast {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

/** @param listing what an official drop list says of the name */
export function forecastExpiry(
  name: DomainName,
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  now: Date,
  listing: DropListing | null = null,
): ExpiryForecast {
  return {
    publishesExpiry: publishesExpiry(name, facts),
    autoRenewedOn: autoRenewedOn(facts, now),
    dropWindow:
      (listing && computeListedDropWindow(listing, facts, now)) ??
      computeDropWindow(facts, phase, findDeletionRule(name), now),
  };
}

/** Null unless the registry is deleting the name and its rules are known. */
export function forecastDropWindow(
  name: DomainName,
  facts: RegistrationFacts,
  now: Date,
  deletion: ObservedDeletion | null,
): DropWindow | null {
  const { phase } = deriveLifecycle(facts, 0, now);
  return computeDropWindow(facts, phase, findDeletionRule(name), now, deletion);
}
