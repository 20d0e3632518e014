import { Injectable } from '@nestjs/common';
import type { DomainName, Look } from '../../domains/language.js';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Cadence } from '../domain/cadence.js';
import { WatchEntries } from '../domain/watch-entry.js';
import { type Lease, Leases, type ProvenFacts, type WatchedName, WatchedNames } from '../domain/watched-name.js';

/** Records what a look told: the facts, the entries they move, and the events of those moves, in one transaction. */
@Injectable()
export class ObserveDomain {
  constructor(
    private readonly names: WatchedNames,
    private readonly entries: WatchEntries,
    private readonly leases: Leases,
    private readonly cadence: Cadence,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * The outcome of a look that a job made under a lease.
   * @returns false when the lease had run out: another worker looks by now, and this one writes nothing.
   */
  recordLeased(name: DomainName, look: Look, lease: Lease): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.leases.end(lease))) return false;
      await this.observe(name, look);
      return true;
    });
  }

  /** The outcome of a check that a person asked for; news for the watch too, if there is one. */
  async recordCheck(name: DomainName, look: Look): Promise<void> {
    if (!(await this.names.isWatched(name))) return;
    await this.work.run(() => this.observe(name, look));
  }

  private async observe(name: DomainName, look: Look): Promise<void> {
    const watched = await this.names.find(name);
    if (!watched || watched.resting) return;
    const now = this.clock.now();
    const changed = watched.observe(look, this.cadence, now);
    if (look.kind === 'failure') return; // an error moves no entry, not even one whose time has come
    for (const entry of await this.touched(watched, changed, now)) {
      if (watched.proven) entry.apply(watched.proven, now);
    }
  }

  /** New facts touch every entry; a routine look only those whose boundary time has passed. */
  private touched(watched: WatchedName, changed: ProvenFacts | null, now: Date) {
    return changed ? this.entries.watching(watched.name) : this.entries.watching(watched.name, now);
  }
}
