import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { Account, Accounts } from '../domain/account.js';
import { ApiKey, ApiKeys, type KeyPage, type KeyPageRequest, type KeyRequest } from '../domain/api-key.js';
import { AccountNotFound, KeyNotFound, TooManyKeys } from '../domain/auth.errors.js';
import { generateKey, type KeyText, readKey } from '../domain/api-key-format.js';
import { Plans } from './plans.js';

/** Keys of an account that work at a time. */
const LIVE_KEYS = 25;

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
    return this.work.run(() => Promise.resolve(this.open(name, plan.name, generateKey(), 'cli')));
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

  /** @throws AccountNotFound, TooManyKeys */
  issueKey(request: KeyRequest): Promise<{ key: KeyText; issued: ApiKey }> {
    return this.work.run(async () => {
      await this.mustExist(request.accountId);
      const live = await this.keys.countLive(request.accountId, this.clock.now());
      if (live >= LIVE_KEYS) throw new TooManyKeys(LIVE_KEYS);
      const key = generateKey();
      const issued = ApiKey.issue(key, request, this.clock.now());
      this.keys.add(issued);
      return { key, issued };
    });
  }

  /** @throws AccountNotFound */
  async keysOf(accountId: string, request: KeyPageRequest): Promise<KeyPage> {
    await this.work.run(() => this.mustExist(accountId));
    return this.keys.page(accountId, request);
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
      this.open('default', this.plans.default.name, key, 'first-start');
      return true;
    });
  }

  /** Makes sure that the key of an unattended install works. Safe in every process, at every start. */
  ensureBootstrapKey(keyText: string): Promise<void> {
    const key = keyFrom(keyText);
    return this.work.run(async () => {
      const first = await this.accounts.firstForBootstrap();
      if (await this.keys.find(key.id)) return;
      if (first) this.keys.add(ApiKey.issue(key, adminOf(first.id, 'bootstrap'), this.clock.now()));
      else this.open('default', this.plans.default.name, key, 'bootstrap');
    });
  }

  private async mustExist(accountId: string): Promise<void> {
    if (!(await this.accounts.find(accountId))) throw new AccountNotFound(accountId);
  }

  private open(name: string, plan: string, key: KeyText, issuedBy: string): { account: Account; key: KeyText } {
    const account = Account.open(name, plan, this.clock.now());
    this.accounts.add(account);
    this.keys.add(ApiKey.issue(key, adminOf(account.id, issuedBy), this.clock.now()));
    return { account, key };
  }
}

function adminOf(accountId: string, issuedBy: string): KeyRequest {
  return { accountId, name: 'first', scopes: ['admin'], expiresAt: null, issuedBy };
}

function keyFrom(text: string): KeyText {
  const key = readKey(text);
  if (!key) throw new Error('the first key is not in the format of a Namewatch key');
  return key;
}
