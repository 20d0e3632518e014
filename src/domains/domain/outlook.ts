import { deletionRuleOf } from './deletion-rule.js';
import type { DomainName } from './domain-name.js';
import { autoRenewedOn, type DropWindow, dropWindowOf } from './drop-window.js';
import { publishesExpiry } from './expiry-publication.js';
import type { LifecyclePhase } from './lifecycle.js';
import type { RegistrationFacts } from './registration.js';

/** What the registry's rules add to its facts. */
export interface Outlook {
  readonly publishesExpiry: boolean | null;
  readonly autoRenewedOn: Date | null;
  readonly dropWindow: DropWindow | null;
}

/** @param isGeneric whether the name's TLD is a generic one, under ICANN's contracts */
export function outlookOf(
  name: DomainName,
  facts: RegistrationFacts,
  phase: LifecyclePhase,
  isGeneric: boolean,
  now: Date,
): Outlook {
  return {
    publishesExpiry: publishesExpiry(name, facts),
    autoRenewedOn: autoRenewedOn(facts, now),
    dropWindow: dropWindowOf(facts, phase, deletionRuleOf(name, isGeneric), now),
  };
}

/** Which TLDs are generic, as a port. */
export abstract class GenericTlds {
  /** False also where that is not known. */
  abstract has(tld: string): boolean;
}
