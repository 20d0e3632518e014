import { after, DAY } from '../../kernel/clock.js';
import { LastAdmin } from './auth.errors.js';
import type { Role } from './role.js';

/** A person in an account. */
export interface Member {
  readonly personId: string;
  readonly name: string | null;
  /** As the provider verified it at the last sign-in. */
  readonly email: string | null;
  readonly role: Role;
  /** Who is there by a group follows the group at each sign-in. */
  readonly addedBy: 'invitation' | 'group';
  readonly addedAt: Date;
  readonly signedInAt: Date;
}

/** An account of a person. */
export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/**
 * How the mail with the link of an invitation stands: it waits until a mail relay takes it, and has failed once none will.
 * There is none where the service sends no mail.
 */
export type InvitationMailState = 'none' | 'waiting' | 'sent' | 'failed';

/** What an account is shown of it. */
export const INVITATION_MAILS = ['none', 'queued', 'failed'] as const;
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/** Hides whether it has left: a mailbox that gets no more today would tell of the invitations of other accounts. */
export function showMail(state: InvitationMailState): InvitationMail {
  return state === 'waiting' || state === 'sent' ? 'queued' : state;
}

/** What makes whoever has its link, and has proven to have the address, a member. */
export interface Invitation {
  /** `inv_…` */
  readonly id: string;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly mail: InvitationMailState;
}

export interface StoredInvitation extends Invitation {
  readonly digest: string;
  readonly acceptedAt: Date | null;
}

export const MAX_OPEN_INVITATIONS = 100;
const INVITATION_MS = 7 * DAY;

export function endOfInvitation(createdAt: Date): Date {
  return after(createdAt, INVITATION_MS);
}

/** Once, in time, and by the address that it was made for: a link alone can be passed on. */
export function isAcceptableBy(
  { acceptedAt, expiresAt, email }: StoredInvitation,
  verifiedEmail: string | null,
  now: Date,
): boolean {
  return acceptedAt === null && expiresAt > now && verifiedEmail?.toLowerCase() === email.toLowerCase();
}

/**
 * An account that people administer keeps one who can: only the operator, on the command line, takes the last one away.
 * @param admins ids of those of the account
 * @throws LastAdmin
 */
export function requireOtherAdmin(admins: readonly string[], personId: string): void {
  if (admins.length === 1 && admins[0] === personId) throw new LastAdmin();
}

/** What members of a group of the provider are in an account. */
export interface GroupRole {
  readonly group: string;
  readonly accountId: string;
  readonly role: Role;
}

const STRENGTH: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };

export function strongerRole(one: Role, other: Role | null | undefined): Role {
  return other && STRENGTH[other] > STRENGTH[one] ? other : one;
}

/** Returns the role in each account of who is in these groups; of several in one account, the strongest. */
export function rolesOfGroups(groups: readonly string[], mapping: readonly GroupRole[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, accountId, role } of mapping) {
    if (groups.includes(group)) roles.set(accountId, strongerRole(role, roles.get(accountId)));
  }
  return roles;
}
