import { domainToASCII } from 'node:url';
import { after, DAY } from '../../kernel/clock.js';
import { LastAdmin } from './auth.errors.js';
import type { Role } from './scope.js';

export interface Member {
  readonly personId: string;
  readonly name: string | null;
  /** The address, as the provider verified it at the last sign-in. */
  readonly email: string | null;
  readonly role: Role;
  /** `group` means that each sign-in sets the role anew, from the groups that the provider then lists. */
  readonly addedBy: 'invitation' | 'group';
  readonly addedAt: Date;
  readonly signedInAt: Date;
}

export interface Membership {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** `none`: the service sends no mail. `sent`: a mail relay took the mail. `failed`: the mail will not be sent. */
export type InvitationMailState = 'none' | 'waiting' | 'sent' | 'failed';

/** The state of the invitation mail, as members of the account see it. */
export const INVITATION_MAILS = ['none', 'queued', 'failed'] as const;
export type InvitationMail = (typeof INVITATION_MAILS)[number];

/**
 * Shows `waiting` and `sent` alike. A mailbox gets few mails a day, so a visible wait would reveal invitations by other
 * accounts.
 */
export function showMail(state: InvitationMailState): InvitationMail {
  return state === 'waiting' || state === 'sent' ? 'queued' : state;
}

/** An invitation to become a member. Accepting it requires its link, and a sign-in with the invited address. */
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

/** Returns the path of the dashboard page that accepts an invitation. */
export function invitationPath(token: string): string {
  return `/ui/#invitation=${token}`;
}

export const MAX_OPEN_INVITATIONS = 100;
const INVITATION_MS = 7 * DAY;

export function endOfInvitation(createdAt: Date): Date {
  return after(createdAt, INVITATION_MS);
}

/** Requires the invited address, because people pass links on. */
export function isAcceptableBy(
  { acceptedAt, expiresAt, email }: StoredInvitation,
  verifiedEmail: string | null,
  now: Date,
): boolean {
  return acceptedAt === null && expiresAt > now && verifiedEmail !== null && isSameMailbox(verifiedEmail, email);
}

/** Before the `@`, ignores only the case of A to Z (RFC 5321, section 2.4): U+212A (KELVIN SIGN) is not `k`. */
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
 * Refuses to remove or demote the last admin, which only the operator may do.
 * @throws LastAdmin
 */
export function requireOtherAdmin(admins: readonly string[], personId: string): void {
  if (admins.length === 1 && admins[0] === personId) throw new LastAdmin();
}

/** A role in an account. Everyone in this group of the sign-in provider gets the role. */
export interface GroupRole {
  readonly group: string;
  readonly accountId: string;
  readonly role: Role;
}

const STRENGTH: Readonly<Record<Role, number>> = { viewer: 0, editor: 1, admin: 2 };

function strongerRole(one: Role, other: Role | null | undefined): Role {
  return other && STRENGTH[other] > STRENGTH[one] ? other : one;
}

export interface Belonging {
  readonly role: Role;
  readonly addedBy: Member['addedBy'];
  /** The role of an accepted invitation, which applies again when the group's role ends. */
  readonly invitedRole: Role | null;
}

/** Adds an invitation's role to the roles that a person already has in the account. The strongest role applies. */
export function afterInvitation(before: Belonging | null, role: Role): Belonging {
  if (before?.addedBy !== 'group') return invited(strongerRole(role, before?.role));
  return afterGroup(strongerRole(role, before.invitedRole), before.role);
}

/**
 * Combines the role of an invitation with the role of groups. The stronger role applies.
 * @returns null without any role
 */
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

/** Returns roles by account: the strongest role that any of these groups gives in the account. */
export function rolesOfGroups(groups: readonly string[], mapping: readonly GroupRole[]): ReadonlyMap<string, Role> {
  const roles = new Map<string, Role>();
  for (const { group, accountId, role } of mapping) {
    if (groups.includes(group)) roles.set(accountId, strongerRole(role, roles.get(accountId)));
  }
  return roles;
}
