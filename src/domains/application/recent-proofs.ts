import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DomainName } from '../domain/domain-name.js';
import type { Proof } from '../domain/look.js';
import { SKEW } from '../domain/shared-looks.js';

/** A proof takes two kilobytes, most of it evidence. */
const NAMES = 20_000;
/** For a process that is asked by nobody. */
export const FEW_NAMES = 1_000;

/** The last proof of each name that this process saw. How fresh it must be is the reader's to judge. */
@Injectable()
export class RecentProofs {
  private readonly proofs: LRUCache<string, Proof>;

  constructor(names = NAMES) {
    this.proofs = new LRUCache({ max: names });
  }

  get isEmpty(): boolean {
    return this.proofs.size === 0;
  }

  of(name: DomainName): Proof | null {
    return this.proofs.get(name.ascii) ?? null;
  }

  /** Of two looks that overlapped, the one that asked later counts. */
  keep(name: DomainName, proof: Proof): void {
    const known = this.of(name);
    if (!known || known.observedAt <= proof.observedAt) this.proofs.set(name.ascii, proof);
  }

  /** What was proven is in doubt now: nobody shall be told it from memory. */
  forget(name: DomainName): void {
    this.proofs.delete(name.ascii);
  }

  /** Names of a TLD that were registered when they were last looked at; those looked at last come first. */
  foundIn(tld: string, count: number): string[] {
    const found = [...this.proofs].filter(([domain, { facts }]) => {
      return facts.outcome === 'found' && domain.endsWith(`.${tld}`);
    });
    return found.slice(0, count).map(([domain]) => domain);
  }

  /** Somebody learned something else at that time: any other proof that may be older will not do any more. */
  forgetBefore(ascii: string, observedAt: Date): void {
    const ahead = (this.proofs.get(ascii)?.observedAt.getTime() ?? Infinity) - observedAt.getTime();
    if (ahead !== 0 && ahead <= SKEW) this.proofs.delete(ascii);
  }

  forgetAll(): void {
    this.proofs.clear();
  }
}
