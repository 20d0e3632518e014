import { after, DAY, MINUTE } from '../../kernel/clock.js';
import type { Role, Scope } from './scope.js';

/** The owner of a session: a person, or a key whose rights the session has. */
export type SessionOwner =
  { readonly keyId: string; readonly personId?: undefined } | { readonly personId: string; readonly keyId?: undefined };

/** A browser that stays signed in. */
export interface Session {
  /** `ses_…` */
  readonly id: string;
  readonly createdAt: Date;
  /** The time of the last use. It is updated every few minutes. */
  readonly usedAt: Date;
  /** The session ends at this time, even if the session is in use. */
  readonly endsAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** A session as authentication needs it. `account` is null if the person is no member of the requested account. */
export interface StoredSession extends Pick<Session, 'id' | 'usedAt' | 'endsAt'> {
  readonly digest: string;
  /**
   * True for a key, and for a person who is in this account only, as at the sign-in. Otherwise, changing requests must
   * name the account.
   */
  readonly hasSoleAccount: boolean;
  readonly account: { readonly id: string; readonly plan: string; readonly isSuspended: boolean } | null;
  readonly key: {
    readonly id: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt: Date | null;
    readonly revokedAt: Date | null;
  } | null;
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly email: string | null;
    readonly role: Role | null;
  } | null;
}

/** How many sessions one person or key may have. A further session ends the owner's oldest session. */
export const MAX_SESSIONS_PER_OWNER = 100;
/** A session's use is recorded at most this often, to limit writes. */
const USE_RECORD_INTERVAL_MS = 5 * MINUTE;

/** A session ends after `IDLE_MS` without a request, and at the latest `LONGEST_MS` after sign-in. */
const IDLE_MS = 7 * DAY;
const LONGEST_MS = 30 * DAY;

export const SESSION_LIFETIME = {
  idleMs: IDLE_MS,

  endOf(createdAt: Date): Date {
    return after(createdAt, LONGEST_MS);
  },

  hasEnded({ usedAt, endsAt }: Pick<Session, 'usedAt' | 'endsAt'>, now: Date): boolean {
    return endsAt <= now || after(usedAt, IDLE_MS) <= now;
  },
};

export function shouldRecordSessionUse({ usedAt }: Pick<Session, 'usedAt'>, now: Date): boolean {
  return after(usedAt, USE_RECORD_INTERVAL_MS) <= now;
}
