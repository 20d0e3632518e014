import { Injectable } from '@nestjs/common';
import { MailConfig, SignInConfig } from '../../config/sections.js';
import { Clock } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { newId } from '../../kernel/identifier.js';
import {
  digestSecretToken,
  formatSecretToken,
  parseSecretToken,
  verifySecretToken,
} from '../../platform/crypto/secret-token.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { MailOutbox } from '../../platform/outbound/mail-outbox.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { PageRequest } from '../domain/account.js';
import type { AuditOrigin } from '../domain/audit-record.js';
import {
  AccountNotFound,
  InvitationNotFound,
  InvitationUnusable,
  MemberNotFound,
  TooManyInvitations,
} from '../domain/auth.errors.js';
import {
  afterGroup,
  afterInvitation,
  endOfInvitation,
  type Invitation,
  isAcceptableBy,
  MAX_OPEN_INVITATIONS,
  requireOtherAdmin,
  rolesOfGroups,
} from '../domain/member.js';
import type { ProvenPerson } from '../domain/proven-person.js';
import type { Role } from '../domain/scope.js';
import { InvitationSecrets } from './invitation-secrets.js';
import { MemberRepository } from './members.repository.js';

export interface Invite {
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
}

/** An invitation whose mail is not sent yet. */
export interface InvitationToMail extends Pick<Invitation, 'id' | 'role' | 'email' | 'expiresAt'> {
  /** The secret of the invitation's link. It is null if the secret was derived with another data key. */
  readonly token: string | null;
}

/** Whether the last admin among an account's members may be removed or demoted. Only the operator may do that. */
type LastAdminRule = 'keep the last admin' | 'by the operator';

@Injectable()
export class Members {
  constructor(
    private readonly members: MemberRepository,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: SignInConfig,
    private readonly secrets: InvitationSecrets,
    private readonly mails: MailOutbox,
    private readonly mailConfig: MailConfig,
  ) {}

  list(accountId: string, page: PageRequest) {
    return this.members.page(accountId, page);
  }

  accountsOf(personId: string) {
    return this.members.accountsOf(personId);
  }

  openInvitations(accountId: string): Promise<Invitation[]> {
    return this.members.openInvitations(accountId, this.clock.now());
  }

  /**
   * @returns the invitation and the secret of its link, which is shown only once
   * @throws AccountNotFound, TooManyInvitations
   */
  async invite({ accountId, email, role, invitedBy }: Invite): Promise<{ invitation: Invitation; token: string }> {
    const token = this.secrets.newToken();
    const createdAt = this.clock.now();
    const expiresAt = endOfInvitation(createdAt);
    const mail = this.sendsMail ? 'waiting' : 'none';
    const invitation: Invitation = { id: token.id, accountId, email, role, invitedBy, createdAt, expiresAt, mail };
    await this.work.run(async () => {
      await this.members.lock(accountId);
      if ((await this.members.existing([accountId])).length === 0) throw new AccountNotFound(accountId);
      const open = await this.members.openInvitations(accountId, createdAt);
      if (open.length >= MAX_OPEN_INVITATIONS) throw new TooManyInvitations(MAX_OPEN_INVITATIONS);
      await this.members.insertInvitation(invitation, digestSecretToken(token));
      const mailed = {
        id: token.id,
        kind: 'invitation',
        accountId,
        subjectId: token.id,
        createdAt,
        expiresAt,
      } as const;
      if (mail === 'waiting') await this.mails.add(mailed);
      const after = { role, host: hostOf(email), expires_at: expiresAt.toISOString() };
      await this.audit.record({ action: 'invitation.made', accountId, targetId: token.id, after });
    });
    return { invitation, token: formatSecretToken(token) };
  }

  /** Returns null if the invitation was accepted or revoked. */
  async findInvitationToMail(id: string): Promise<InvitationToMail | null> {
    const stored = await this.members.findOpenInvitation(id);
    if (!stored) return null;
    const { role, email, expiresAt, digest } = stored;
    const found = this.secrets.find(id, digest);
    return { id, role, email, expiresAt, token: found && formatSecretToken(found) };
  }

  /** @throws InvitationNotFound */
  revokeInvitation(id: string, accountId: string): Promise<void> {
    return this.work.run(async () => {
      if (!(await this.members.deleteInvitation(id, accountId, this.clock.now()))) throw new InvitationNotFound(id);
      await this.audit.record({ action: 'invitation.revoked', accountId, targetId: id });
    });
  }

  /** @throws MemberNotFound, LastAdmin */
  changeRole(accountId: string, personId: string, role: Role, rule: LastAdminRule): Promise<void> {
    return this.work.run(async () => {
      const before = await this.requireChangeable(accountId, personId, role === 'admin' ? 'by the operator' : rule);
      if (before === role) return;
      await this.members.changeRole(accountId, personId, role);
      const change = { before: { role: before }, after: { role } };
      await this.audit.record({ action: 'member.role_changed', accountId, targetId: personId, ...change });
    });
  }

  /** @throws MemberNotFound, LastAdmin */
  remove(accountId: string, personId: string, rule: LastAdminRule): Promise<void> {
    return this.work.run(async () => {
      const role = await this.requireChangeable(accountId, personId, rule);
      await this.members.remove(accountId, personId);
      await this.members.deleteStranger(personId);
      await this.audit.record({ action: 'member.removed', accountId, targetId: personId, before: { role } });
    });
  }

  /**
   * @param invitation the secret of an invitation's link
   * @returns `accountId`: the account to show; null if the person is in no account
   * @throws InvitationUnusable
   */
  signIn(proven: ProvenPerson, invitation: string | null): Promise<{ id: string; accountId: string | null }> {
    return this.work.run(async () => {
      const id = await this.members.putPerson(newId('per'), proven, this.clock.now());
      const origin: AuditOrigin = {
        ...this.audit.origin(),
        actor: { type: 'person', id, name: proven.name ?? proven.email },
      };
      await this.followGroups(id, proven.groups, origin);
      const invitedTo = invitation === null ? null : await this.accept(invitation, id, proven.email, origin);
      const [first = null] = (await this.members.belongings(id)).keys();
      // The person proved who they are, but has no account here.
      if (first === null) await this.members.deleteStranger(id);
      return { id, accountId: invitedTo ?? first };
    });
  }

  /** Makes the person who opened the account its first admin. */
  addOpener(accountId: string, personId: string): Promise<void> {
    return this.work.run(async () => {
      await this.members.put(accountId, personId, afterInvitation(null, 'admin'), this.clock.now());
      await this.audit.record({ action: 'member.joined', accountId, targetId: personId, after: { role: 'admin' } });
    });
  }

  /** Deletes expired invitations, and people who are in no account any more. */
  async purge(): Promise<void> {
    await this.members.purge(this.clock.now());
  }

  private get sendsMail(): boolean {
    const { openId } = this.config;
    const { smtpUrl, mailFrom } = this.mailConfig;
    return openId !== null && smtpUrl !== null && mailFrom !== null && DashboardLinks.at(this.mailConfig) !== null;
  }

  private async requireChangeable(accountId: string, personId: string, rule: LastAdminRule): Promise<Role> {
    await this.members.lock(accountId);
    const role = (await this.members.belongings(personId)).get(accountId)?.role;
    if (role === undefined) throw new MemberNotFound(personId);
    if (rule === 'keep the last admin') requireOtherAdmin(await this.members.admins(accountId), personId);
    return role;
  }

  private async accept(text: string, personId: string, email: string | null, origin: AuditOrigin): Promise<string> {
    const token = parseSecretToken('inv', text);
    const stored = token && (await this.members.lockInvitation(token.id));
    const now = this.clock.now();
    if (!token || !verifySecretToken(stored, token) || !isAcceptableBy(stored, email, now))
      throw new InvitationUnusable();
    const { id, accountId } = stored;
    await this.members.lock(accountId);
    // An invitation never lowers a role. So an admin who accepts an invitation as a viewer stays an admin.
    const belonging = afterInvitation((await this.members.belongings(personId)).get(accountId) ?? null, stored.role);
    const { role } = belonging;
    await this.members.put(accountId, personId, belonging, now);
    await this.members.markAccepted(id, now);
    await this.audit.record(
      { action: 'member.joined', accountId, targetId: personId, after: { role, invitation: id } },
      origin,
    );
    return accountId;
  }

  /**
   * Updates the roles that groups give the person. When a group's role ends, the role of an accepted invitation applies
   * again, or the membership ends.
   */
  private async followGroups(personId: string, groups: readonly string[], origin: AuditOrigin): Promise<void> {
    const wanted = rolesOfGroups(groups, this.config.groupRoles);
    const given = await this.members.belongings(personId);
    for (const [accountId, before] of given) {
      if (before.addedBy !== 'group' || wanted.has(accountId)) continue;
      const left = afterGroup(before.invitedRole, null);
      if (left) await this.members.put(accountId, personId, left, this.clock.now());
      else await this.members.remove(accountId, personId);
      const change = { accountId, targetId: personId, before: { role: before.role } } as const;
      const entry = left
        ? ({ ...change, action: 'member.role_changed', after: { role: left.role } } as const)
        : ({ ...change, action: 'member.removed' } as const);
      await this.audit.record(entry, origin);
    }
    for (const accountId of await this.members.existing([...wanted.keys()])) {
      const [ofGroup, known] = [wanted.get(accountId), given.get(accountId)];
      const wasInvited = known?.addedBy === 'invitation';
      if (ofGroup === undefined || ofGroup === known?.role || wasInvited) continue;
      const belonging = afterGroup(known?.invitedRole ?? null, ofGroup);
      await this.members.put(accountId, personId, belonging, this.clock.now());
      const [role, before] = [belonging.role, known?.role];
      const target = { accountId, targetId: personId };
      await (before === undefined
        ? this.audit.record({ action: 'member.joined', ...target, after: { role } }, origin)
        : this.audit.record(
            { action: 'member.role_changed', ...target, before: { role: before }, after: { role } },
            origin,
          ));
    }
  }
}

/** Returns the domain of a mail address. The audit trail does not contain the rest. */
function hostOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
