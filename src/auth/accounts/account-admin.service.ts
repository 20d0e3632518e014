import { Injectable } from '@nestjs/common';
import { after, Clock } from '../../kernel/clock.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Account } from '../domain/account.js';
import { AccountRepository } from './accounts.repository.js';
import {
  ApiKey,
  type ApiKeyText,
  generateApiKey,
  type KeyPage,
  type KeyPageRequest,
  type IssueKeyRequest,
  parseApiKey,
} from '../domain/api-key.js';
import { ApiKeyRepository } from './api-keys.repository.js';
import { AccountNotFound, KeyNotFound, TooManyKeys, UnknownScope } from '../domain/auth.errors.js';
import { type Scope, ScopeCatalogue } from '../domain/scope.js';
import type { AuditAttributes, AuditOrigin } from '../domain/audit-record.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { type CallerIdentity, nameCaller } from '../caller/caller.js';
import { Members } from '../members/members.js';
import { PlanCatalogue } from '../plans/plan-catalogue.js';

const MAX_ACTIVE_KEYS = 25;
/** How long revoked and expired keys are kept and listed. */
const ENDED_KEY_RETENTION_DAYS = 30;
const PURGE_BATCH_SIZE = 1_000;

interface NewKeyRequest extends Omit<IssueKeyRequest, 'scopes'> {
  readonly scopes: readonly Scope[] | null;
}

interface NewAccountRequest {
  readonly name: string;
  readonly plan?: string | undefined;
  readonly invite?: string | undefined;
  /** The caller who opens the account; undefined if the operator opens the account on the command line. */
  readonly by?: CallerIdentity;
}

@Injectable()
export class AccountAdminService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly keys: ApiKeyRepository,
    private readonly plans: PlanCatalogue,
    private readonly scopes: ScopeCatalogue,
    private readonly members: Members,
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
  ) {}

  /**
   * Opens an account, and issues its first key, which has the scope `admin`.
   * @param invite the email address to invite as admin
   * @throws UnknownPlan
   */
  openAccount({ name, plan: planName, invite, by }: NewAccountRequest) {
    const plan = planName === undefined ? this.plans.default : this.plans.get(planName);
    return this.work.run(async () => {
      const issuedBy = by ? nameCaller(by) : 'cli';
      const { account, key } = await this.open(name, plan.name, generateApiKey(), issuedBy);
      if (by?.kind === 'person') await this.members.addOpener(account.id, by.id);
      const invitation =
        invite === undefined
          ? null
          : await this.members.invite({ accountId: account.id, email: invite, role: 'admin', invitedBy: issuedBy });
      return { account, key, invitation };
    });
  }

  /** Whether this account belongs to the people who run this service. Their account is the first that was opened. */
  isOperator(accountId: string): Promise<boolean> {
    return this.work.run(async () => (await this.accounts.find(accountId))?.isOperator === true);
  }

  /** @throws AccountNotFound, UnknownPlan */
  changePlan(accountId: string, planName: string): Promise<Account> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      if (!account) throw new AccountNotFound(accountId);
      const before = { plan: account.plan };
      account.changePlan(this.plans.get(planName).name);
      const change = { before, after: { plan: account.plan } };
      if (before.plan !== account.plan)
        await this.audit.record({ action: 'account.plan_changed', accountId, targetId: accountId, ...change });
      return account;
    });
  }

  /**
   * If `scopes` is null, the key gets every reading scope except the audit trail's.
   * @throws AccountNotFound, TooManyKeys, UnknownScope
   */
  issueKey({ scopes, ...request }: NewKeyRequest): Promise<{ key: ApiKeyText; issued: ApiKey }> {
    const unknown = scopes?.find((scope) => !this.scopes.has(scope));
    if (unknown !== undefined) throw new UnknownScope(unknown, this.scopes.all);
    return this.work.run(async () => {
      await this.requireAccount(request.accountId);
      const activeKeys = await this.keys.countActive(request.accountId, this.clock.now());
      if (activeKeys >= MAX_ACTIVE_KEYS) throw new TooManyKeys(MAX_ACTIVE_KEYS);
      const key = generateApiKey();
      const granted = { ...request, scopes: scopes ?? this.scopes.readScopes };
      const issued = ApiKey.issue(key, granted, this.clock.now());
      await this.addKey(issued);
      return { key, issued };
    });
  }

  /** @throws AccountNotFound */
  assertAccount(accountId: string): Promise<void> {
    return this.work.run(() => this.requireAccount(accountId));
  }

  /** @throws AccountNotFound */
  async listKeys(accountId: string, request: KeyPageRequest): Promise<KeyPage> {
    await this.assertAccount(accountId);
    return this.keys.page(accountId, request);
  }

  /**
   * Revokes a key.
   * @throws KeyNotFound, also if the key belongs to another account than the given account
   */
  revoke(keyId: string, accountId?: string): Promise<void> {
    return this.work.run(async () => {
      const key = await this.keys.find(keyId, accountId);
      if (!key) throw new KeyNotFound(keyId);
      if (key.revokedAt) return;
      key.revoke(this.clock.now());
      const before = toAuditAttributes(key);
      await this.audit.record({ action: 'key.revoked', accountId: key.accountId, targetId: key.id, before });
    });
  }

  async purgeEndedKeys(): Promise<void> {
    const before = after(this.clock.now(), -ENDED_KEY_RETENTION_DAYS * this.units.day);
    while ((await this.keys.deleteEnded(before, PURGE_BATCH_SIZE)) === PURGE_BATCH_SIZE);
  }

  /** Opens the first account with this key. @returns false if an account exists already */
  openFirstAccount(keyText: string): Promise<boolean> {
    const key = parseFirstKey(keyText);
    return this.work.run(async () => {
      if (await this.accounts.lockOperator()) return false;
      await this.open('default', this.plans.default.name, key, 'first-start');
      return true;
    });
  }

  /**
   * Issues the key in BOOTSTRAP_API_KEY, unless it exists already. Any number of processes may call this at each start.
   */
  ensureBootstrapKey(keyText: string): Promise<void> {
    const key = parseFirstKey(keyText);
    return this.work.run(async () => {
      const operator = await this.accounts.lockOperator();
      if (await this.keys.find(key.id)) return;
      const origin = this.audit.originOf('bootstrap');
      if (operator)
        await this.addKey(ApiKey.issue(key, adminKeyRequest(operator.id, 'bootstrap'), this.clock.now()), origin);
      else await this.open('default', this.plans.default.name, key, 'bootstrap');
    });
  }

  private async requireAccount(accountId: string): Promise<void> {
    if (!(await this.accounts.find(accountId))) throw new AccountNotFound(accountId);
  }

  private async addKey(key: ApiKey, origin?: AuditOrigin): Promise<void> {
    const { accountId, id: targetId } = key;
    this.keys.add(key);
    await this.audit.record({ action: 'key.issued', accountId, targetId, after: toAuditAttributes(key) }, origin);
  }

  private async open(
    name: string,
    plan: string,
    key: ApiKeyText,
    issuedBy: string,
  ): Promise<{ account: Account; key: ApiKeyText }> {
    const isOperator = (await this.accounts.lockOperator()) === null;
    const account = Account.open(name, plan, this.clock.now(), isOperator);
    this.accounts.add(account);
    this.keys.add(ApiKey.issue(key, adminKeyRequest(account.id, issuedBy), this.clock.now()));
    await this.accounts.flush(); // so that later statements can refer to the account
    const entry = { action: 'account.created' as const, accountId: account.id, targetId: account.id };
    const isByCaller = issuedBy !== 'first-start' && issuedBy !== 'bootstrap';
    const origin = isByCaller ? this.audit.origin() : this.audit.originOf(issuedBy);
    await this.audit.record({ ...entry, after: { name, plan, key_id: key.id } }, origin);
    return { account, key };
  }
}

function toAuditAttributes({ name, scopes, expiresAt }: ApiKey): AuditAttributes {
  return { name, scopes, expires_at: expiresAt?.toISOString() ?? null };
}

function adminKeyRequest(accountId: string, issuedBy: string): IssueKeyRequest {
  return { accountId, name: 'first', scopes: ['admin'], expiresAt: null, issuedBy };
}

function parseFirstKey(text: string): ApiKeyText {
  const key = parseApiKey(text);
  if (!key) throw new Error('the first key is not a valid Namewatch key');
  return key;
}
