import { type CaughtMail, MailCatcher } from '../../world/mailbox.js';

/** One event in a mail of its own or in a digest. */
export interface MailedEvent {
  readonly channel: string;
  readonly event: string;
}

const DOMAIN = 'receiver.example';
const EVENT = /\bevt_[0-9a-z]{26}\b/g;
/**
 * How often it refuses mail, and for how long. Refused mail is retried after one second, then after five; a third
 * refusal would postpone a delivery beyond the end of a run.
 */
const REFUSAL_MS = { every: 4_000, last: 500 };
const TRY_LATER = { code: 451, text: 'try again later' };

/** A mail server that temporarily refuses mail from time to time. */
export class MailServer {
  private readonly refusalTimer: NodeJS.Timeout;

  private constructor(private readonly catcher: MailCatcher) {
    this.refusalTimer = setInterval(() => {
      catcher.refusals = { message: TRY_LATER };
      setTimeout(() => (catcher.refusals = {}), REFUSAL_MS.last);
    }, REFUSAL_MS.every);
  }

  static async start(): Promise<MailServer> {
    return new MailServer(await MailCatcher.start());
  }

  get settings(): Record<string, string> {
    const noConfirmation = { NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' };
    return { SMTP_URL: this.catcher.url, MAIL_FROM: `namewatch@${DOMAIN}`, ...noConfirmation };
  }

  /** The target of the channel with this label. */
  address(label: string): string {
    return `${label}@${DOMAIN}`;
  }

  /** Accepts everything from now on. */
  stopFailing(): void {
    clearInterval(this.refusalTimer);
    this.catcher.refusals = {};
  }

  /** Every event received, duplicates included. */
  get mailed(): MailedEvent[] {
    return this.catcher.caught.all.flatMap(readEvents);
  }

  close(): Promise<void> {
    this.stopFailing();
    return this.catcher.close();
  }
}

/** A mail has the id of each of its events once in its text. */
function readEvents({ to, parsed }: CaughtMail): MailedEvent[] {
  const events = new Set(parsed.text?.match(EVENT));
  return to.flatMap((address) => [...events].map((event) => ({ channel: address.replace(`@${DOMAIN}`, ''), event })));
}
