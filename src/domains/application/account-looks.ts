import { Injectable } from '@nestjs/common';
import type { DomainName } from '../domain/domain-name.js';
import type { Look, Proof } from '../domain/look.js';
import { RecentProofs } from './recent-proofs.js';

/** Whether an account has watched a name since then. */
export type Watches = (asker: string, name: DomainName, since: Date) => Promise<boolean>;

/**
 * The looks that an account caused, by its checks or by its entries: with ACCOUNT_ISOLATION it is answered from no
 * others. The registry may have been asked for somebody else a moment before; no time before the account's own request
 * is ever shown.
 */
@Injectable()
export class AccountLooks {
  private watches: Watches = () => Promise.resolve(false);

  constructor(private readonly recent: RecentProofs) {}

  /** The watchlist knows who watches what. */
  askWatchlist(watches: Watches): void {
    this.watches = watches;
  }

  /** The latest proof that will do. */
  async latest(asker: string, name: DomainName, isFresh: (proof: Proof) => boolean): Promise<Proof | null> {
    const [own, watched] = [this.recent.of(name, asker), this.recent.of(name)];
    const isNews = watched && isFresh(watched) && (!own || own.observedAt < watched.observedAt);
    if (isNews && (await this.watches(asker, name, watched.observedAt))) return watched;
    return own && isFresh(own) ? own : null;
  }

  keep(asker: string, name: DomainName, look: Look): void {
    if (look.kind === 'proof' && look.source !== 'sandbox') this.recent.keep(name, look, asker);
    else if (look.kind === 'failure' && look.vetoed) this.recent.forget(name);
  }
}

/** The look as one who asked at that time may see it. */
export function seenBy<Seen extends Look>(look: Seen, askedAt: Date): Seen {
  const shown = (at: Date) => (at < askedAt ? askedAt : at);
  const evidence = look.evidence.map((one) => ({ ...one, observedAt: shown(one.observedAt) }));
  return { ...look, observedAt: shown(look.observedAt), evidence };
}
