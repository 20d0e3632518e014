import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { MailConfig } from '../../config/sections.js';
import { ListedDrops } from '../../domains/index.js';
import { DomainName, forecastExpiry } from '../../domains/language.js';
import { after, Clock, DAY } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { findDrift } from '../domain/drift.js';
import { toCalendarDates, type DatedEntry } from '../domain/calendar.js';
import type { EntryDetails } from '../entries/entry-reader.repository.js';
import { type CalendarAddress, CalendarAddressRepository } from './calendar-addresses.repository.js';
import { CalendarEntryReader, type CalendarFilter } from './calendar-entries.repository.js';
import { toCalendarFile } from './calendar-file.js';

/** Begins the secret of an address, so that it is recognized where it must not be shown. */
const SECRET_PREFIX = 'nwcal_';
const SECRET = /^nwcal_[\w-]{43}$/;
/** Names that expired longer ago are available, or registered anew. */
const PAST_DAYS = 90;
const COMING_DAYS = 400;

/** The dates of an account for calendar programs, at an address whose secret stands for a key. */
@Injectable()
export class CalendarService {
  constructor(
    private readonly addresses: CalendarAddressRepository,
    private readonly entries: CalendarEntryReader,
    private readonly listedDrops: ListedDrops,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: MailConfig,
  ) {}

  /** null: there is none. */
  findAddress(accountId: string): Promise<CalendarAddress | null> {
    return this.addresses.find(accountId);
  }

  /** The former address ends. @returns the secret, which is stored nowhere */
  async makeAddress(accountId: string): Promise<{ readonly secret: string; readonly createdAt: Date }> {
    const secret = SECRET_PREFIX + randomBytes(32).toString('base64url');
    const createdAt = this.clock.now();
    await this.work.run(async () => {
      await this.addresses.replace(accountId, hash('sha256', secret), createdAt);
      await this.audit.record({ action: 'calendar.address_made', accountId, targetId: null });
    });
    return { secret, createdAt };
  }

  /** Does nothing where there is none. */
  async revokeAddress(accountId: string): Promise<void> {
    await this.work.run(async () => {
      const isRevoked = await this.addresses.remove(accountId);
      if (isRevoked) await this.audit.record({ action: 'calendar.address_revoked', accountId, targetId: null });
    });
  }

  /** @returns the account; null: the secret opens nothing, now or ever */
  async openAddress(secret: string): Promise<string | null> {
    return SECRET.test(secret) ? this.addresses.use(hash('sha256', secret), this.clock.now()) : null;
  }

  /** Two statements, whatever the size of the watchlist. */
  async readFile(accountId: string, filter: CalendarFilter): Promise<string> {
    const now = this.clock.now();
    const span = { from: after(now, -PAST_DAYS * DAY), until: after(now, COMING_DAYS * DAY), now };
    const entries = await this.entries.find(accountId, filter, span);
    const dates = entries.flatMap((entry) => toCalendarDates(this.toDatedEntry(entry, now), now));
    return toCalendarFile(dates, DashboardLinks.at(this.config));
  }

  private toDatedEntry(entry: EntryDetails, now: Date): DatedEntry {
    const { id, domain, status, phase, expires_at: expiresAt, updated_at: updatedAt, settings, background } = entry;
    const facts = background?.facts;
    const forecast =
      facts && forecastExpiry(DomainName.restore(domain), facts, phase, now, this.listedDrops.find(domain));
    return {
      ...settings,
      ...{ id, domain, status, phase, expiresAt, updatedAt },
      failing: entry.failing_since !== null,
      answered: entry.last_checked_at !== null,
      drift: findDrift(settings.expected, background?.record ?? null).length > 0,
      autoRenewedOn: forecast?.autoRenewedOn ?? null,
      dropWindow: forecast?.dropWindow ?? null,
    };
  }
}
