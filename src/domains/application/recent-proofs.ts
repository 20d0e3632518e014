import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DomainName } from '../domain/domain-name.js';
import type { Proof } from '../domain/look.js';
import { SKEW } from '../domain/shared-looks.js';

/** A proof takes two kilobytes, most of it evidence. */
const PROOFS = 20_000;
/** For a process that is asked by nobody. */
export const FEW_NAMES = 1_000;

/** Where accounts are isolated, a proof that one of them asked for is kept for that account; all others for all. */
const SHARED = '';
type ByAsker = ReadonlyMap<string, Proof>;

/** The last proof of each name that this process saw. How fresh it must be is the reader's to judge. */
@Injectable()
export class RecentProofs {
  private readonly names: LRUCache<string, ByAsker>;

  constructor(proofs = PROOFS) {
    this.names = new LRUCache({ maxSize: proofs, sizeCalculation: ({ size }: ByAsker) => size });
  }

  get isEmpty(): boolean {
    return this.names.size === 0;
  }

  of(name: DomainName, asker: string = SHARED): Proof | null {
    return this.names.get(name.ascii)?.get(asker) ?? null;
  }

  /** Of two looks that overlapped, the one that asked later counts. */
  keep(name: DomainName, proof: Proof, asker: string = SHARED): void {
    const known = this.of(name, asker);
    if (known && known.observedAt > proof.observedAt) return;
    this.names.set(name.ascii, new Map(this.names.get(name.ascii)).set(asker, proof));
  }

  /** What was proven is in doubt now: nobody shall be told it from memory. */
  forget(name: DomainName): void {
    this.names.delete(name.ascii);
  }

  /** Names of a TLD that were registered when they were last looked at; those looked at last come first. */
  foundIn(tld: string, count: number): string[] {
    const found = [...this.names].filter(([domain, proofs]) => {
      return domain.endsWith(`.${tld}`) && [...proofs.values()].some(({ facts }) => facts.outcome === 'found');
    });
    return found.slice(0, count).map(([domain]) => domain);
  }

  /** Somebody learned something else at that time: any other proof that may be older will not do any more. */
  forgetBefore(ascii: string, observedAt: Date): void {
    const known = this.names.get(ascii);
    if (!known) return;
    const left = [...known].filter(([, proof]) => {
      const ahead = proof.observedAt.getTime() - observedAt.getTime();
      return ahead === 0 || ahead > SKEW;
    });
    if (left.length === 0) this.names.delete(ascii);
    else if (left.length < known.size) this.names.set(ascii, new Map(left));
  }

  forgetAll(): void {
    this.names.clear();
  }
}
