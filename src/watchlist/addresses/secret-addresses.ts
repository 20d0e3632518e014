import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../auth/index.js';
import { Clock } from '../../kernel/clock.js';
import { DomainError } from '../../kernel/domain-error.js';
import { newId } from '../../kernel/identifier.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { type AddressKind, type SecretAddress, SecretAddressRepository } from './secret-addresses.repository.js';

/** Each secret starts with a prefix, by which people and scanners recognize a leaked secret. */
const PREFIXES = { calendar: 'nwcal_', client_page: 'nwpage_' } as const satisfies Record<AddressKind, string>;
const SECRET = /^[\w-]{43}$/;
const MADE = { calendar: 'calendar.address_made', client_page: 'client_page.made' } as const;
const REVOKED = { calendar: 'calendar.address_revoked', client_page: 'client_page.revoked' } as const;
export const MAX_CLIENT_PAGES = 100;

class TooManyAddresses extends DomainError {
  constructor() {
    super(
      'plan_limit_reached',
      `An account may have ${MAX_CLIENT_PAGES} client pages that work, on every plan: revoke one first.`,
      { limit: MAX_CLIENT_PAGES },
    );
  }
}

interface Wanted {
  readonly title?: string | null;
  readonly tags?: readonly string[];
  readonly expiresAt?: Date | null;
}

interface MadeAddress extends SecretAddress {
  /** The caller shows the secret once. It cannot be read again, because the database stores only a digest. */
  readonly secret: string;
}

/** Makes, opens and revokes URLs that contain a secret instead of an API key. */
@Injectable()
export class SecretAddresses {
  constructor(
    private readonly addresses: SecretAddressRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  findAll(accountId: string, kind: AddressKind): Promise<SecretAddress[]> {
    return this.addresses.findAll(accountId, kind, this.clock.now());
  }

  /**
   * Makes a new address. A new calendar address replaces the account's former calendar address.
   * @throws TooManyAddresses if the account already has the maximum of client pages
   */
  async make(
    accountId: string,
    kind: AddressKind,
    { title = null, tags = [], expiresAt = null }: Wanted = {},
  ): Promise<MadeAddress> {
    const secret = PREFIXES[kind] + randomBytes(32).toString('base64url');
    const createdAt = this.clock.now();
    const address = { id: newId('adr'), accountId, title, tags: [...new Set(tags)], createdAt, expiresAt };
    await this.work.run(async () => {
      await this.addresses.lock(accountId);
      if (kind === 'client_page') await this.requireRoom(accountId, createdAt);
      await this.addresses.add({ ...address, kind, digest: digestOf(secret) });
      await this.audit.record({ action: MADE[kind], accountId, ...toAudited(kind, address, 'after') });
    });
    return { ...address, opened: 0, lastUsedAt: null, secret };
  }

  /** @param id null revokes all addresses of this kind @returns whether any address was revoked */
  revoke(accountId: string, kind: AddressKind, id: string | null = null): Promise<boolean> {
    return this.work.run(async () => {
      const removed = await this.addresses.remove(accountId, kind, id);
      for (const address of removed)
        await this.audit.record({ action: REVOKED[kind], accountId, ...toAudited(kind, address, 'before') });
      return removed.length > 0;
    });
  }

  /** Returns null for a secret that is malformed, unknown, expired or of a suspended account. */
  async open(secret: string, kind: AddressKind): Promise<SecretAddress | null> {
    const isPossible = secret.startsWith(PREFIXES[kind]) && SECRET.test(secret.slice(PREFIXES[kind].length));
    return isPossible ? this.addresses.use(digestOf(secret), kind, this.clock.now()) : null;
  }

  private async requireRoom(accountId: string, now: Date): Promise<void> {
    const pages = await this.addresses.findAll(accountId, 'client_page', now);
    if (pages.length >= MAX_CLIENT_PAGES) throw new TooManyAddresses();
  }
}

function digestOf(secret: string): string {
  return hash('sha256', secret);
}

/** The audit trail needs no id or attributes of a calendar, because an account has only one calendar. */
function toAudited(
  kind: AddressKind,
  { id, title, tags, expiresAt }: Pick<SecretAddress, 'id' | 'title' | 'tags' | 'expiresAt'>,
  side: 'before' | 'after',
) {
  if (kind === 'calendar') return { targetId: null };
  return { targetId: id, [side]: { title, tags: [...tags], expires_at: expiresAt?.toISOString() ?? null } };
}
