import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Account, Accounts } from '../domain/account.js';
import { ApiKey, ApiKeys, type KeyRequest } from '../domain/api-key.js';
import { AccountNotFound, KeyNotFound } from '../domain/auth.errors.js';
import { generateKey, type KeyText, readKey } from '../domain/key-text.js';
import { Plans } from './plans.js';

/** Opens accounts, issues keys and takes them back. */
@Injectable()
export class Administration {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
    private readonly plans: Plans,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** A new account with its first key, which may do everything. */
  openAccount(name: string, planName?: string): Promise<{ account: Account; key: KeyText }> {
    const plan = planName === undefined ? this.plans.default : this.plans.named(planName);
    return this.work.run(() => Promise.resolve(this.open(name, plan.name, generateKey())));
  }

  /** @throws AccountNotFound, UnknownPlan; then nothing is changed. */
  changePlan(accountId: string, planName: string): Promise<Account> {
    return this.work.run(async () => {
      const account = await this.accounts.find(accountId);
      if (!account) throw new AccountNotFound(accountId);
      account.changeTo(this.plans.named(planName).name);
      return account;
    });
  }

  issueKey(request: KeyRequest): Promise<{ key: KeyText; issued: ApiKey }> {
    return this.work.run(async () => {
      if (!(await this.accounts.find(request.accountId))) throw new AccountNotFound(request.accountId);
      const key = generateKey();
      const issued = ApiKey.issue(key, request, this.clock.now());
      this.keys.add(issued);
      return { key, issued };
    });
  }

  keysOf(accountId: string): Promise<ApiKey[]> {
    return this.work.run(async () => {
      if (!(await this.accounts.find(accountId))) throw new AccountNotFound(accountId);
      return this.keys.ofAccount(accountId);
    });
  }

  hasKey(keyId: string, accountId: string): Promise<boolean> {
    return this.work.run(async () => (await this.keys.find(keyId, accountId)) !== null);
  }

  /** @throws KeyNotFound, also for a key of another account when one is named. */
  revoke(keyId: string, accountId?: string): Promise<void> {
    return this.work.run(async () => {
      const key = await this.keys.find(keyId, accountId);
      if (!key) throw new KeyNotFound(keyId);
      key.revoke(this.clock.now());
    });
  }

  /**
   * The first account of an empty installation, with this key.
   * @returns false when there was an account already; then nothing is changed.
   */
  openFirstAccount(keyText: string): Promise<boolean> {
    const key = keyFrom(keyText);
    return this.work.run(async () => {
      if (await this.accounts.firstForBootstrap()) return false;
      this.open('default', this.plans.default.name, key);
      return true;
    });
  }

  /** Makes sure that the key of an unattended install works. Safe in every process, at every start. */
  ensureBootstrapKey(keyText: string): Promise<void> {
    const key = keyFrom(keyText);
    return this.work.run(async () => {
      const first = await this.accounts.firstForBootstrap();
      if (await this.keys.find(key.id)) return;
      if (first) this.keys.add(ApiKey.issue(key, adminOf(first.id), this.clock.now()));
      else this.open('default', this.plans.default.name, key);
    });
  }

  private open(name: string, plan: string, key: KeyText): { account: Account; key: KeyText } {
    const account = Account.open(name, plan, this.clock.now());
    this.accounts.add(account);
    this.keys.add(ApiKey.issue(key, adminOf(account.id), this.clock.now()));
    return { account, key };
  }
}

function adminOf(accountId: string): KeyRequest {
  return { accountId, name: 'first', scopes: ['admin'], expiresAt: null };
}

function keyFrom(text: string): KeyText {
  const key = readKey(text);
  if (!key) throw new Error('the first key is not in the format of a Namewatch key');
  return key;
}
