import { afterEach, describe, expect, it } from '@jest/globals';
import { AccountAdminService, AccountLifecycle, AuditTrail, generateApiKey } from '../../../src/auth/index.js';
import { AUDIT_ACTION_NAMES } from '../../../src/auth/domain/audit-actions.js';
import { newId } from '../../../src/kernel/identifier.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { AUDITED_OPERATIONS, MADE_ELSEWHERE, UNAUDITED_OPERATIONS } from '../../support/builders/audited-operations.js';
import { auditRecords, auditRecordsOf } from '../../support/database/audit-records.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { running } from '../../support/running.js';
import { type Call, startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const records = (condition?: string, values?: unknown[]) => auditRecords(service, condition, values);
const recordsOf = (act: () => Promise<unknown>) => auditRecordsOf(service, act);

/** The document is drift-checked, so that a new route cannot be forgotten here. */
const document = ApiDocument.committed();
function findUnaudited(operations: readonly Pick<Operation, 'method' | 'operationId'>[]): string[] {
  const changing = operations.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method.toUpperCase()));
  const ids = changing.map(({ operationId }) => operationId);
  return ids.filter((id) => !(id in AUDITED_OPERATIONS) && !(id in UNAUDITED_OPERATIONS));
}

const OPERATIONS = Object.entries(AUDITED_OPERATIONS);

describe('API operations other than GET', () => {
  it('are each listed as leaving an audit record or as leaving none', () => {
    expect(findUnaudited(document.operations)).toEqual([]);
    expect(findUnaudited([...document.operations, { method: 'post', operationId: 'grantAll' }])).toEqual(['grantAll']);
  });

  it.each(OPERATIONS)(
    'leave one audit record of who acted and from which address: %s',
    async (_, { action, prepare }) => {
      const call = await prepare(service);
      const left = await recordsOf(async () => expect((await service.call(call)).status).toBeLessThan(300));
      const keyId = `key_${service.account.key.slice(3, 29)}`;
      const by = {
        account_id: service.account.id,
        actor_type: 'key',
        actor_id: keyId,
        actor_name: 'first',
        address: '127.0.0.1',
        user_agent: 'lightMyRequest',
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      };
      expect(left).toEqual([expect.objectContaining({ ...by, action })]);
      expect(JSON.stringify(left)).not.toContain('t0ken');
    },
  );

  it('cause every audit action that is not listed as caused elsewhere', () => {
    const made: readonly string[] = OPERATIONS.map(([, { action }]) => action);
    expect(AUDIT_ACTION_NAMES.filter((action) => !made.includes(action) && !(action in MADE_ELSEWHERE))).toEqual([]);
    expect(Object.keys(MADE_ELSEWHERE).filter((action) => made.includes(action))).toEqual([]);
  });

  it('leave no audit record if they only check names', async () => {
    const body = { domains: ['available.test', 'registered.test'] };
    const check = { method: 'POST', path: '/v1/domains/check', body };
    expect(await recordsOf(async () => expect((await service.call(check)).status).toBe(200))).toEqual([]);
  });

  describe('when their audit record cannot be written', () => {
    afterEach(() => service.query('alter table audit_records drop constraint if exists planted'));

    /** Everything that the service stores, but for when keys were used. */
    const readState = async () => {
      const tables = [
        'api_keys',
        'notification_channels',
        'deliveries',
        'events',
        'accounts',
        'sessions',
        'people',
        'members',
        'invitations',
        'watch_entries',
        'removed_entries',
      ];
      const texts = tables.map(async (table) => {
        const text = `select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t order by 1`;
        return (await service.query<{ row: string }>(text)).rows.map(({ row }) => row);
      });
      return JSON.stringify(await Promise.all(texts));
    };

    it.each(OPERATIONS)('change nothing and answer 500: %s', async (_, { prepare }) => {
      const call = await prepare(service);
      const before = await readState();
      await service.query('alter table audit_records add constraint planted check (false) not valid');
      expect((await service.call(call)).status).toBe(500);
      expect(await readState()).toBe(before);
    });
  });

  it('leave no audit record if they fail after writing the record', async () => {
    const calls: (Call | undefined)[] = [];
    for (const id of ['issueKey', 'revokeKey', 'addNotificationChannel', 'changeNotificationChannel'])
      calls.push(await AUDITED_OPERATIONS[id]?.prepare(service));
    await service.query(`create function planted() returns trigger language plpgsql as $$
      begin raise exception 'planted'; end $$`);
    for (const table of ['api_keys', 'notification_channels'])
      await service.query(`create constraint trigger planted after insert or update or delete on ${table}
        deferrable initially deferred for each row execute function planted()`);
    try {
      const left = await recordsOf(async () => {
        for (const call of calls) expect(call && (await service.call(call)).status).toBe(500);
      });
      expect(left).toEqual([]);
    } finally {
      await service.query('drop function planted cascade');
    }
  });
});

describe('the audit trail of operator actions', () => {
  it('has one record per change, and none for a repetition that changes nothing', async () => {
    const [admin, accounts] = [service.get(AccountAdminService), service.get(AccountLifecycle)];
    const { account, key } = await admin.openAccount({ name: 'one' });
    const left = await recordsOf(async () => {
      for (let n = 0; n < 2; n += 1) {
        await admin.changePlan(account.id, 'free');
        await accounts.suspend(account.id);
      }
      for (let n = 0; n < 2; n += 1) await accounts.resume(account.id);
      for (let n = 0; n < 2; n += 1) await admin.revoke(key.id);
    });
    const once = ['account.plan_changed', 'account.suspended', 'account.resumed', 'key.revoked'];
    expect(left.map(({ action }) => action)).toEqual(once);
  });

  it('names "bootstrap" as the actor that issued the key of BOOTSTRAP_API_KEY', async () => {
    const key = generateApiKey().text;
    const left = await recordsOf(async () => {
      for (let n = 0; n < 2; n += 1) await service.get(AccountAdminService).ensureBootstrapKey(key);
    });
    expect(left).toEqual([expect.objectContaining({ action: 'key.issued', actor_type: 'bootstrap' })]);
  });

  it('has one record of a change of plans that was noticed three times at once', async () => {
    const entry = { action: 'plans.changed' as const, accountId: null, targetId: null, after: { gold: ['entries=1'] } };
    const notice = () => service.get(UnitOfWork).run(() => service.get(AuditTrail).recordOnce(entry, 60_000));
    expect(await recordsOf(() => Promise.all([notice(), notice(), notice()]))).toHaveLength(1);
  });

  it('keeps of a deleted account only the two records of its deletion', async () => {
    const { account } = await service.get(AccountAdminService).openAccount({ name: 'Anna’s' });
    await service.get(AccountLifecycle).delete(account.id);
    const left = await records('account_id = $1 or target_id = $1', [account.id]);
    expect(left.map(({ action, account_id }) => [action, account_id])).toEqual([
      ['account.deletion_started', null],
      ['account.deleted', null],
    ]);
    expect(JSON.stringify(await records())).not.toContain('Anna’s');
  });
});

describe('the purge of the audit trail', () => {
  it('deletes records that are 400 days old, and refused authentications that are 40 days old', async () => {
    const { id } = await service.openAccount();
    const days = [10, 40, 400];
    for (const action of ['key.issued', 'authentication.refused'])
      for (const age of days)
        await service.query(
          `insert into audit_records (id, xid, occurred_at, account_id, action, actor_type)
           values ($1, '1', now() - make_interval(days => $2), $3, $4, 'service')`,
          [newId('aud'), age, id, action],
        );
    await service.get(AuditTrail).purge();
    const kept = await records(`account_id = $1 and actor_type = 'service' and action <> 'account.created'`, [id]);
    const ages = kept.map(({ action, occurred_at }) => [
      action,
      Math.round((Date.now() - (occurred_at as Date).getTime()) / 86_400_000),
    ]);
    expect(ages).toEqual([
      ['key.issued', 10],
      ['key.issued', 40],
      ['authentication.refused', 10],
    ]);
  });
});
