import { Clock } from '../../../src/kernel/clock.js';
import { SendDigests } from '../../../src/notifications/digests/send-digests.js';
import { MailCatcher } from '../fakes/mail-catcher.js';
import { anEvent } from '../builders/notification-events.js';
import { mailVia } from './mail-reader.js';
import { NotificationService } from './notification-service.js';

/** A service with a relay, and for each test an account whose one email channel exceeds its quota. */
export class FloodedMailbox {
  account = { id: '', key: '' };
  channel = '';
  private before = 0;

  private constructor(
    readonly relay: MailCatcher,
    readonly notifications: NotificationService,
  ) {}

  static async start(): Promise<FloodedMailbox> {
    const relay = await MailCatcher.start();
    const settings = { ...mailVia(relay), NOTIFICATIONS_EMAIL_CONFIRMATION: 'false' };
    return new FloodedMailbox(relay, await NotificationService.start(settings));
  }

  async close(): Promise<void> {
    await this.notifications.close();
    await this.relay.close();
  }

  /** Another account, and no mail yet. */
  async begin(): Promise<void> {
    this.relay.refusals = {};
    this.account = await this.notifications.service.openAccount();
    this.channel = await this.add('email', 'ada@example.com');
    this.before = this.relay.caught.all.length;
  }

  async add(type: string, target: string): Promise<string> {
    const call = { method: 'POST', path: '/v1/notifications', body: { type, target }, key: this.account.key };
    return String((await this.notifications.service.call(call)).body['id']);
  }

  /** Drops of `name-<from>.example` to `name-<to>.example`. */
  async happens(from: number, to: number): Promise<void> {
    const about = { accountId: this.account.id, at: this.notifications.of(Clock).now() };
    const names = Array.from({ length: to - from + 1 }, (_, i) => nameOf(from + i));
    await this.notifications.happens(...names.map((name) => anEvent(entryOf(name), about)));
  }

  /** Publishes the same and delivers what is due. */
  async publishAndDeliver(from: number, to: number): Promise<void> {
    await this.happens(from, to);
    await this.notifications.deliverDue();
  }

  sendDigests(): Promise<void> {
    return this.notifications.of(SendDigests).run('mail');
  }

  /** The mails of this test so far. */
  get mails() {
    return this.relay.caught.all.slice(this.before).map(({ parsed }) => parsed);
  }

  get digests() {
    return this.mails.filter(({ messageId }) => messageId?.startsWith('<digest.'));
  }

  /** How many deliveries of the channel there are in each state. */
  async states(): Promise<Record<string, unknown>> {
    const rows = await this.notifications.rows(
      `select state, count(*)::int as n from deliveries where channel_id = $1 group by 1 order by 1`,
      [this.channel],
    );
    return Object.fromEntries(rows.map(({ state, n }) => [String(state), n]));
  }

  /** Outcomes of the newest deliveries' attempts, in order; one line where they are all alike. */
  async lastAttempts(): Promise<string[]> {
    const rows = await this.notifications.rows(
      `select distinct (select string_agg(outcome, ',' order by number) from delivery_attempts a
                        where a.delivery_id = d.id) as outcomes
       from deliveries d where channel_id = $1
         and created_at = (select max(created_at) from deliveries where channel_id = $1)`,
      [this.channel],
    );
    return rows.map(({ outcomes }) => String(outcomes));
  }
}

export const nameOf = (n: number) => `name-${n}.example`;
/** The entry of a name, as events show it. */
export const entryOf = (name: string) => ({ entry_id: `wl_${name}`, domain: name, domain_unicode: name });
