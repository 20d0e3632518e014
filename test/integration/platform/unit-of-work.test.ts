import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { Account } from '../../../src/auth/domain/account.js';
import { AccountRepository } from '../../../src/auth/accounts/accounts.repository.js';
import { createDomainEvent } from '../../../src/kernel/domain-event.js';
import { EventBus, UniqueConstraintViolated, UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { sql } from '../../../src/platform/database/sql.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

/** Something happens to the account, of a type that only this test knows. */
function happening(type: string, account: Account): Account {
  (account as unknown as { record(event: unknown): void }).record(createDomainEvent(type, account.id, new Date(), {}));
  return account;
}

describe('a unit of work', () => {
  const service = running(() => startTestService({ ROLE: 'api' }));
  let work: UnitOfWork;
  let accounts: AccountRepository;
  const handled: string[] = [];
  let atEvent: () => Promise<void> = () => Promise.resolve();

  beforeAll(async () => {
    work = service.app.get(UnitOfWork);
    accounts = service.app.get(AccountRepository, { strict: false });
    service.app.get(EventBus).subscribe('probe.', async (events) => {
      handled.push(...events.map(({ type }) => type));
      await atEvent();
    });
  });
  beforeEach(() => {
    handled.length = 0;
    atEvent = () => Promise.resolve();
  });

  const open = (type?: string) => {
    const account = Account.open('probe', 'free', new Date());
    accounts.add(type === undefined ? account : happening(type, account));
    return Promise.resolve(account);
  };
  const isThere = async ({ id }: Account) => (await work.run(() => accounts.find(id))) !== null;

  it('calls the handlers of its events before it commits', async () => {
    let seenInside: Account | null = null;
    const account = await work.run(() => {
      const opened = open('probe.happened');
      atEvent = async () => {
        const { id } = await opened;
        seenInside = await service.app.get(EntityManager, { strict: false }).findOne(Account, { id });
      };
      return opened;
    });
    expect(handled).toEqual(['probe.happened']);
    expect(seenInside).toMatchObject({ id: account.id });
  });

  it('limits idle time in its transaction to 5 seconds, and each statement to 30 seconds', async () => {
    const names = ['idle_in_transaction_session_timeout', 'statement_timeout'];
    const settings = await work.run(() =>
      service.app
        .get(EntityManager, { strict: false })
        .execute<object[]>('select name, setting from pg_settings where name in (?, ?) order by 1', names),
    );
    expect(settings).toEqual([
      { name: 'idle_in_transaction_session_timeout', setting: '5000' },
      { name: 'statement_timeout', setting: '30000' },
    ]);
  });

  it('writes nothing when a handler fails', async () => {
    atEvent = () => Promise.reject(new Error('the handler failed'));
    let account: Account | undefined;
    await expect(work.run(async () => (account = await open('probe.happened')))).rejects.toThrow('the handler failed');
    expect(account && (await isThere(account))).toBe(false);
  });

  it('calls observers after handlers, and fails for an event that has observers but no handler', async () => {
    service.app.get(EventBus).observe(
      (type) => type.startsWith('probe.observed') || type.startsWith('orphan.'),
      (events) => Promise.resolve(void handled.push(...events.map(({ type }) => `observed ${type}`))),
    );
    await work.run(() => open('probe.observed'));
    expect(handled).toEqual(['probe.observed', 'observed probe.observed']);
    await expect(work.run(() => open('orphan.happened'))).rejects.toThrow('orphan.happened');
  });

  it('fails with the name of the unique constraint that was violated', async () => {
    const account = await work.run(() => open());
    const again = Object.assign(Account.open('probe', 'free', new Date()), { id: account.id });
    const refused = work.run(() => Promise.resolve(accounts.add(again)));
    await expect(refused).rejects.toThrow(UniqueConstraintViolated);
    await expect(refused).rejects.toMatchObject({ constraint: 'accounts_pkey' });
  });

  describe('with SQL statements', () => {
    const statements = () => service.app.get(SqlClient, { strict: false });
    const rename = ({ id }: Account, name: string) =>
      statements().run(sql`update accounts set name = ${name} where id = ${id}`);
    const nameOf = async ({ id }: Account) =>
      (await statements().run<{ name: string }>(sql`select name from accounts where id = ${id}`))[0]?.name;

    it('runs the statements in its transaction, including those of a nested unit of work', async () => {
      const account = await work.run(() => open());
      const seen: unknown[] = [];
      const failed = work.run(async () => {
        await rename(account, 'inside');
        await work.run(async () => seen.push(await nameOf(account)));
        throw new Error('undone');
      });
      await expect(failed).rejects.toThrow('undone');
      seen.push(await nameOf(account));
      expect(seen).toEqual(['inside', 'probe']);
    });

    it('keeps other callers’ statements, and statements after its end, out of its transaction', async () => {
      const account = await work.run(() => open());
      const ended = Promise.withResolvers<undefined>();
      let late: Promise<unknown> | undefined;
      await work.run(async () => {
        late = ended.promise.then(() => rename(account, 'after'));
        await Promise.resolve();
      });
      ended.resolve(undefined);
      await late;
      expect(await nameOf(account)).toBe('after');
      const others = await Promise.allSettled([
        work.run(async () => {
          await rename(account, 'undone');
          throw new Error('undone');
        }),
        work.run(() => nameOf(account)),
      ]);
      expect(others.at(1)).toEqual({ status: 'fulfilled', value: 'after' });
    });

    it('returns timestamps in the same form as statements outside a unit of work', async () => {
      const account = await work.run(() => open());
      const read = () => statements().run(sql`select created_at as at from accounts where id = ${account.id}`);
      expect(await work.run(read)).toEqual(await read());
    });
  });
});
