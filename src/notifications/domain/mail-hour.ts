import { after } from '../../kernel/clock.js';

/** How much went to one channel in the hour that runs, and where the rest of it waits. */
export interface MailHour {
  readonly channelId: string;
  readonly endsAt: Date;
  readonly mails: number;
  /** The digest that goes out when the hour is over; null while nothing waits. */
  readonly digestId: string | null;
}

/** The next hour of a channel; `length` in milliseconds. */
export function newHour(channelId: string, now: Date, length: number): MailHour {
  return { channelId, endsAt: after(now, length), mails: 0, digestId: null };
}

/** The hours of all channels, inside a unit of work; `forget` is a statement of its own. */
export abstract class MailHours {
  /** The channel's hour, a new one if the last is over, which nobody else can change before this unit of work ends. */
  abstract locked(channelId: string, now: Date, length: number): Promise<MailHour>;
  abstract save(hour: MailHour): Promise<void>;
  /** Those that are over mean nothing. */
  abstract forget(now: Date): Promise<void>;
}
