import { HOUR, MINUTE } from '../../../../src/kernel/clock.js';
import {
  type MessageQuota,
  refuse,
  take,
  newQuotaWindow,
  type QuotaWindow,
} from '../../../../src/notifications/domain/message-quota.js';

/** A receiver that gets messages one by one, in windows of an hour from the first message on. */
export class MailboxModel {
  private window: QuotaWindow | null = null;
  private windows = 0;

  constructor(private readonly quota: MessageQuota) {}

  /** @param at milliseconds, ascending */
  receives({ name, urgent }: { readonly name: string | null; readonly urgent: boolean }, at: number) {
    const window = this.windowAt(at);
    const counted = { urgent, entryId: name };
    const isSent = refuse(window.used, counted, this.quota) === null;
    this.window = isSent ? { ...window, used: take(window.used, counted) } : window;
    return { isSent, window: this.windows, endsAtMinute: window.endsAt.getTime() / MINUTE };
  }

  /** A digest at this time, which is sent in any case. */
  getsDigest(at: number): void {
    const window = this.windowAt(at);
    this.window = { ...window, used: take(window.used, { urgent: false, entryId: null }) };
  }

  private windowAt(at: number): QuotaWindow {
    if (this.window && at < this.window.endsAt.getTime()) return this.window;
    this.windows += 1;
    return newQuotaWindow('mailbox', new Date(at), HOUR);
  }
}
