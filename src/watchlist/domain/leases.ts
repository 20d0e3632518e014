/** A hold on a name for one look; whoever comes with another token comes too late. */
export interface Lease {
  readonly name: string;
  readonly token: string;
}

/** Who may look at which name just now. */
export abstract class Leases {
  /** Takes due names, earliest first, each for one lease time, so that at most `limit` are under way in all processes. */
  abstract claimDue(now: Date, limit: number): Promise<Lease[]>;
  /** Holds the name for one lease time from now. False when the lease had run out: then there is nothing to do. */
  abstract renew(lease: Lease): Promise<boolean>;
  /** Inside a unit of work: ends the lease. False when it was not ours any more; then nothing may be written. */
  abstract end(lease: Lease): Promise<boolean>;
  /** Gives claims back that could not be passed on, so that nobody waits for them to run out. */
  abstract giveBack(leases: readonly Lease[]): Promise<void>;
}
