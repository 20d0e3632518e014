import type { DomainName } from './domain-name.js';
import type { Proof } from './look.js';

/** The last proofs that were seen, as a port. It may forget any of them at any time. */
export abstract class RecentProofs {
  abstract of(name: DomainName): Proof | null;
  abstract keep(name: DomainName, proof: Proof): void;
}
