import { after, DAY, MINUTE } from '../../kernel/clock.js';
import type { Role } from './role.js';
import type { Scope } from './scope.js';

/** The owner of a session: a key, which it acts as, or a person. */
export type SessionOwner =
  { readonly keyId: string; readonly personId?: undefined } | { readonly personId: string; readonly keyId?: undefined };

/** A browser that stays signed in. */
export interface Session {
  /** `ses_…` */
  readonly id: string;
  readonly createdAt: Date;
  /** Noted every few minutes. */
  readonly usedAt: Date;
  /** It ends then, however much it is used. */
  readonly endsAt: Date;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** The parts of a session that authentication needs. Without an account the person is in none, or not in this one. */
export interface StoredSession extends Pick<Session, 'id' | 'usedAt' | 'endsAt'> {
  readonly digest: string;
  /** Whether the person had one account when it began, and still has that one and no other. True for that of a key. */
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

/** An owner with more loses the oldest: each browser of a person needs one. */
export const MAX_SESSIONS_PER_OWNER = 100;
/** Limits writes: not every request notes that its session was used. */
const USE_RECORD_INTERVAL_MS = 5 * MINUTE;

/** A browser that stays signed in is signed out after so long without a request, and after so long in any case. */
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
