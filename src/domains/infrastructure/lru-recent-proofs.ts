import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { DomainName } from '../domain/domain-name.js';
import type { Proof } from '../domain/look.js';
import { RecentProofs } from '../domain/recent-proofs.js';

/** A proof takes about a kilobyte, most of it evidence. */
const NAMES = 20_000;

/** In the memory of this process. How fresh a proof must be is the reader's to judge. */
@Injectable()
export class LruRecentProofs extends RecentProofs {
  private readonly proofs = new LRUCache<string, Proof>({ max: NAMES });

  of(name: DomainName): Proof | null {
    return this.proofs.get(name.ascii) ?? null;
  }

  keep(name: DomainName, proof: Proof): void {
    const known = this.proofs.get(name.ascii);
    if (!known || known.observedAt <= proof.observedAt) this.proofs.set(name.ascii, proof);
  }
}
