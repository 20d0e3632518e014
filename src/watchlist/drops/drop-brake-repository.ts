import type { DropBrake, DropBrakeState } from '../domain/drop-brake.js';

/** Drop brakes by TLD, with the drop counts they depend on. */
export abstract class DropBrakeRepository {
  /** Locked until the unit of work ends, so that drops of a TLD are decided one at a time. */
  abstract findForUpdate(operator: string, tld: string, now: Date): Promise<DropBrake>;
  abstract hold(state: DropBrakeState, since: Date): Promise<void>;
  abstract countDrop(operator: string, at: Date): Promise<void>;
  /** Deletes drops that no rule counts any more; one statement. */
  abstract purgeDrops(now: Date): Promise<void>;
  /** The brakes that hold at present; outside of any transaction. */
  abstract findHeld(): Promise<readonly DropBrakeState[]>;
  /** Whether drops of the TLD, or of any other of its operator, are held; outside of any transaction. */
  abstract isHeld(registry: Pick<DropBrakeState, 'operator' | 'tld'>): Promise<boolean>;
  /** Releases the brake if it still holds. */
  abstract release(state: DropBrakeState, at: Date): Promise<void>;
}
