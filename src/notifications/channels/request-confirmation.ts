import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import {
  nextConfirmationAt,
  type ConfirmableChannel,
  AddressConfirmation,
  AddressConfirmationRepository,
  toRecipient,
} from '../domain/email/address-confirmation.js';

/** Schedules a confirmation mail to the address of a channel. Runs inside a unit of work. */
@Injectable()
export class RequestConfirmation {
  constructor(
    private readonly confirmations: AddressConfirmationRepository,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /**
   * Above the account's limit the mail waits. Above the mailbox's limit it is not sent, and the answer hides that: it
   * would reveal requests of other accounts. Earlier links stay valid.
   */
  async run(channel: ConfirmableChannel): Promise<void> {
    const now = this.clock.now();
    const recent = await this.confirmations.lockRecent(toRecipient(channel), after(now, -this.units.day));
    const at = nextConfirmationAt(recent, now, this.units);
    if (at) this.confirmations.add(AddressConfirmation.request(channel, at, this.units));
  }

  /** Deletes what no limit counts any more. Safe to run in several processes at once. */
  purge(): Promise<void> {
    return this.confirmations.purge(after(this.clock.now(), -2 * this.units.day));
  }
}
