import type { DropBrake, DropBrakeState } from '../../domain/policies/drop-brake.js';

/** The brakes of all TLDs, and what they go by. */
export abstract class DropBrakeRepository {
  /** Inside a unit of work, locked until it ends: drops of one TLD are judged one after the other. */
  abstract findForUpdate(operator: string, tld: string, now: Date): Promise<DropBrake>;
  abstract hold(state: DropBrakeState, since: Date): Promise<void>;
  abstract countDrop(operator: string, at: Date): Promise<void>;
  /** Drops that no rule looks at any more; one statement. */
  abstract purgeDrops(now: Date): Promise<void>;
  /** Those that hold; outside of any transaction. */
  abstract findHeld(): Promise<readonly DropBrakeState[]>;
  /** Lets go, unless it was let go already. */
  abstract release(state: DropBrakeState, at: Date): Promise<void>;
}
