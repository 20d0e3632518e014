import { domainToASCII } from 'node:url';
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
  /** A member by a group follows the group at each sign-in. */
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

/** The state of the mail, as an account sees it. */
export const INVITATION_MAILS = ['none', 'queued', 'failed'] as const;
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/** Hides whether it has left: a mailbox that gets no more today would tell of the invitations of other accounts. */
export function showMail(state: InvitationMailState): InvitationMail {
  return state === 'waiting' || state === 'sent' ? 'queued' : state;
}

/** Makes a person a member who has its link and has proven to have the address. */
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

export interface StoredInvitation extends Omit<Invitation, 'mail'> {
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
  return acceptedAt === null && expiresAt > now && verifiedEmail !== null && isSameMailbox(verifiedEmail, email);
}

/**
 * Hosts are names of the DNS, whatever their spelling. Of local parts only A to Z have another case that means the same (RFC 5321,
 * section 2.4): KELVIN SIGN is no k.
 */
function isSameMailbox(one: string, other: string): boolean {
  return toComparable(one) === toComparable(other);
}

function toComparable(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const host = email.slice(at + 1);
  return `${local}@${domainToASCII(host) || host}`;
}

/**
 * An account that people administer keeps an admin: only the operator, on the command line, removes the last one.
 * @param admins ids of the account's admins
 * @throws LastAdmin
 */
export function requireOtherAdmin(admins: readonly string[], personId: string): void {
  if (admins.length === 1 && admins[0] === personId) throw new LastAdmin();
}

/** The role of a provider's group in an account. */
export interface GroupRole {
  readonly group: string;
  readonly accountId: string;
  readonly role: Role;
}

const STRENGTH: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };

function strongerRole(one: Role, other: Role | null | undefined): Role {
  return other && STRENGTH[other] > STRENGTH[one] ? other : one;
}

/** How somebody belongs to an account. */
export interface Belonging {
  readonly role: Role;
  readonly addedBy: Member['addedBy'];
  /** An invitation gave this role beside a group's stronger role; it stays when the group's role ends. */
  readonly invitedRole: Role | null;
}

/** An invited person gets the invitation's role, and keeps a stronger one; a role by a group stays the group's. */
export function afterInvitation(before: Belonging | null, role: Role): Belonging {
  if (before?.addedBy !== 'group') return invited(strongerRole(role, before?.role));
  return afterGroup(strongerRole(role, before.invitedRole), before.role);
}

/** @param group its role now; null: the person is no longer in it. @returns null for who is no member any more */
export function afterGroup(invitedRole: Role, group: Role | null): Belonging;
export function afterGroup(invitedRole: Role | null, group: Role): Belonging;
export function afterGroup(invitedRole: Role | null, group: Role | null): Belonging | null;
export function afterGroup(invitedRole: Role | null, group: Role | null): Belonging | null {
  if (group === null) return invitedRole === null ? null : invited(invitedRole);
  if (invitedRole !== null && strongerRole(invitedRole, group) === invitedRole) return invited(invitedRole);
  return { role: group, addedBy: 'group', invitedRole };
}

function invited(role: Role): Belonging {
  return { role, addedBy: 'invitation', invitedRole: null };
}

/** Returns the role in each account of who is in these groups; of several in one account, the strongest. */
export function rolesOfGroups(groups: readonly string[], mapping: readonly GroupRole[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, accountId, role } of mapping) {
    if (groups.includes(group)) roles.set(accountId, strongerRole(role, roles.get(accountId)));
  }
  return roles;
}
