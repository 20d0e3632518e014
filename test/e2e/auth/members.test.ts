import { describe, expect, it } from '@jest/globals';
import { AccountLifecycle } from '../../../src/auth/index.js';
import { Members } from '../../../src/auth/members/members.js';
import { Sessions } from '../../../src/auth/sessions/sessions.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { OWN } from '../../support/servers/people.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const ISSUER = 'https://login.example';
/** Ids have to exist only where somebody is to join. */
const MAPPED = `acc_${'1'.repeat(26)}`;

const service = running(() =>
  startTestService({
    ROLE: 'api',
    PUBLIC_URL: 'https://names.example',
    OIDC_ISSUER: 'http://127.0.0.1:1', // nobody signs in there
    OIDC_CLIENT_ID: 'namewatch',
    OIDC_CLIENT_SECRET: 'hush',
    OIDC_GROUPS_CLAIM: 'groups',
    OIDC_GROUP_ROLES: `staff=${MAPPED}:viewer,cn=admins=${MAPPED}:admin,gone=acc_${'2'.repeat(26)}:admin,chiefs=acc_${'3'.repeat(26)}:admin`,
  }),
);

let count = 0;
/** As the provider proves it: `alice1@example.test`. */
function someone(more: object = {}) {
  const subject = `alice${(count += 1)}`;
  return { issuer: ISSUER, subject, name: 'Alice', email: `${subject}@example.test`, groups: [], ...more };
}
type Someone = ReturnType<typeof someone>;

const signIn = (proven: Someone, invitation: string | null = null) => service.get(Members).signIn(proven, invitation);
const asKey = (key: string, method: string, path: string, body?: unknown) =>
  service.call({ method, path, key, ...(body === undefined ? {} : { body }) });

async function invite(key: string, email: string, role = 'viewer'): Promise<{ id: string; token: string }> {
  const { status, body } = await asKey(key, 'POST', '/v1/invitations', { email, role });
  expect(status).toBe(201);
  return { id: String(body['id']), token: String(body['link']).replace('/ui/#invitation=', '') };
}

/** A member of the account with this role, and how they ask by the cookie of a browser. */
async function join(account: { id: string; key: string }, role: string, person = someone()) {
  const { token } = await invite(account.key, person.email, role);
  const { id } = await signIn(person, token);
  const request = { ip: '127.0.0.1', headers: {}, protocol: 'https', host: 'names.example', server: { basePath: '' } };
  const actor = { type: 'person', id, name: person.name } as const;
  const signingIn = { owner: { personId: id }, actor, accountId: account.id };
  const { cookie } = await service.get(Sessions).start(signingIn, request as never);
  const ask = (call: Call, accountId = account.id): Promise<Answer> =>
    service.call({
      ...call,
      key: null,
      headers: { ...OWN, cookie: cookie.replace(/;.*/, ''), 'x-namewatch-account': accountId },
    });
  return { id, person, ask };
}

const membersOf = async (key: string) => (await asKey(key, 'GET', '/v1/members')).body['data'] as { id: string }[];

/** The trail shows a record when every transaction before it has ended, those of other suites on this server included. */
async function recordsOf(key: string, count: number, query = ''): Promise<unknown[]> {
  const { body } = await eventually(
    () => asKey(key, 'GET', `/v1/audit${query}`),
    (answer) => (answer.body['data'] as unknown[]).length >= count,
  );
  return body['data'] as unknown[];
}

describe('an invitation', () => {
  it('makes the person with the invited mail address a member, and works only once', async () => {
    const account = await service.openAccount();
    const alice = someone({ email: 'Alice@Example.test' });
    const { token } = await invite(account.key, 'alice@example.test', 'editor');
    const { id, accountId } = await signIn(alice, token);
    expect(accountId).toBe(account.id);
    expect(await membersOf(account.key)).toMatchObject([
      { id, name: 'Alice', email: 'Alice@Example.test', role: 'editor', added_by: 'invitation' },
    ]);
    await expect(signIn(someone({ email: 'alice@example.test' }), token)).rejects.toMatchObject({
      code: 'link_expired',
    });
    expect((await asKey(account.key, 'GET', '/v1/invitations')).body).toEqual({ data: [] });
  });

  it('makes only one person a member if two people use it at the same time', async () => {
    const { key } = await service.openAccount();
    const { token } = await invite(key, 'shared@example.test');
    const both = [someone({ email: 'shared@example.test' }), someone({ email: 'shared@example.test' })];
    const results = await Promise.allSettled(both.map((one) => signIn(one, token)));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await membersOf(key)).toHaveLength(1);
  });

  it.each([
    ['used by a person with another mail address', (token: string) => [someone(), token] as const],
    ['used by a person without a verified mail address', (token: string) => [someone({ email: null }), token] as const],
    [
      'with a wrong secret',
      (token: string) => [someone({ email: 'x@example.test' }), `${token.slice(0, -3)}AAA`] as const,
    ],
    ['that was never made', () => [someone(), `inv_${'0'.repeat(26)}.${'a'.repeat(43)}`] as const],
    ['with a malformed token', () => [someone(), 'hello'] as const],
  ])('is refused, and creates no person: one %s', async (_, attempt) => {
    const { key } = await service.openAccount();
    const { token } = await invite(key, 'x@example.test');
    const [person, text] = attempt(token);
    await expect(signIn(person, text)).rejects.toMatchObject({ code: 'link_expired' });
    const { rowCount } = await service.query('select from people where subject = $1', [person.subject]);
    expect([rowCount, await membersOf(key)]).toEqual([0, []]);
  });

  it('does not lower the role of an existing member', async () => {
    const account = await service.openAccount();
    const { person } = await join(account, 'admin');
    const { token } = await invite(account.key, person.email, 'viewer');
    await signIn(person, token);
    expect(await membersOf(account.key)).toMatchObject([{ role: 'admin' }]);
  });

  it('is refused after it was revoked or has expired', async () => {
    const { key } = await service.openAccount();
    const [first, second] = [await invite(key, 'x@example.test'), await invite(key, 'x@example.test')];
    expect((await asKey(key, 'DELETE', `/v1/invitations/${first.id}`)).status).toBe(204);
    await service.query('update invitations set expires_at = now() where id = $1', [second.id]);
    for (const { token } of [first, second])
      await expect(signIn(someone({ email: 'x@example.test' }), token)).rejects.toMatchObject({ code: 'link_expired' });
  });

  it.each(['', 'no address', 'a@b.test, c@d.test', '<a@b.test>', 'a@b.test\nbcc: c@d.test', 'a'.repeat(300)])(
    'cannot be made for this malformed address: %j',
    async (email) => {
      const answer = await asKey(service.account.key, 'POST', '/v1/invitations', { email, role: 'viewer' });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );

  it('has its secret neither in the database nor in the list of invitations', async () => {
    const { key } = await service.openAccount();
    const { token } = await invite(key, 'x@example.test');
    const { rows } = await service.query('select i::text as row from invitations i');
    const listed = await asKey(key, 'GET', '/v1/invitations');
    expect(JSON.stringify([rows, listed.body])).not.toContain(token.split('.')[1]);
  });
});

describe('a member', () => {
  it('may do only what the role viewer, editor or admin allows', async () => {
    const account = await service.openAccount();
    const routes: readonly Call[] = [
      { path: '/v1/watchlist' },
      { method: 'POST', path: '/v1/watchlist', body: { domain: 'role.test' } },
      { path: '/v1/members' },
      { path: '/v1/audit' },
    ];
    const answersTo = async (role: string) => {
      const { ask } = await join(account, role);
      const statuses: number[] = [];
      for (const call of routes) statuses.push((await ask(call)).status);
      return statuses;
    };
    expect(await answersTo('viewer')).toEqual([200, 403, 403, 403]);
    expect(await answersTo('editor')).toEqual([200, 201, 403, 403]);
    expect(await answersTo('admin')).toEqual([200, 409, 200, 200]);
  });

  it('sees no data of one account in another, even as a member of both', async () => {
    const [first, second] = [await service.openAccount(), await service.openAccount()];
    const alice = await join(first, 'admin');
    await join(second, 'admin', alice.person);
    await asKey(second.key, 'POST', '/v1/watchlist', { domain: 'secret.test', note: 'secret' });
    await asKey(second.key, 'POST', '/v1/keys', { name: 'secret' });
    for (const path of ['/v1/watchlist', '/v1/keys', '/v1/audit', '/v1/members', '/v1/invitations', '/v1/events']) {
      const { status, body } = await alice.ask({ path }, first.id);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(new RegExp(`secret|${second.id}`));
    }
    const { body } = await alice.ask({ path: '/v1/me' }, first.id);
    expect(body).toMatchObject({
      account: { id: first.id },
      key: null,
      person: { id: alice.id, role: 'admin' },
      accounts: [
        { id: first.id, name: 'test', role: 'admin' },
        { id: second.id, name: 'test', role: 'admin' },
      ],
    });
  });

  it('loses access soon after a lower role or a removal, and the open stream ends', async () => {
    const account = await service.openAccount();
    const [alice, admin] = [await join(account, 'editor'), await join(account, 'admin')];
    const change = { method: 'PATCH', path: `/v1/members/${alice.id}`, body: { role: 'viewer' } };
    expect((await admin.ask(change)).status).toBe(204);
    const add: Call = { method: 'POST', path: '/v1/watchlist', body: { domain: 'late.test' } };
    await eventually(
      () => alice.ask(add),
      ({ status }) => status === 403,
    );
    const stream = alice.ask({ path: '/v1/events/stream' });
    expect((await admin.ask({ method: 'DELETE', path: `/v1/members/${alice.id}` })).status).toBe(204);
    await eventually(
      () => alice.ask({ path: '/v1/watchlist' }),
      ({ status }) => status === 401,
    );
    expect((await stream).status).toBe(200); // it ended
    expect((await service.query('select from people where id = $1', [alice.id])).rowCount).toBe(0);
  });

  it('cannot be removed or demoted as the last admin, even if two are removed at once', async () => {
    const account = await service.openAccount();
    const [alice, bob] = [await join(account, 'admin'), await join(account, 'admin')];
    const remove = (id: string) => asKey(account.key, 'DELETE', `/v1/members/${id}`);
    const answers = await Promise.all([remove(alice.id), remove(bob.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const [last] = await membersOf(account.key);
    const demote = { role: 'viewer' };
    expect(await asKey(account.key, 'PATCH', `/v1/members/${String(last?.id)}`, demote)).toMatchObject({
      status: 409,
      body: { code: 'last_admin' },
    });
    await service.get(Members).remove(account.id, String(last?.id), 'by the operator');
    expect(await membersOf(account.key)).toEqual([]);
  });
});

describe('groups of the sign-in provider', () => {
  it('add, change or remove a membership at each sign-in', async () => {
    await service.query(`insert into accounts (id, name, plan, created_at) values ($1, 'mapped', 'selfhost', now())`, [
      MAPPED,
    ]);
    const alice = someone();
    const roleWith = async (...groups: string[]) => {
      await signIn({ ...alice, groups } as never);
      const { rows } = await service.query(
        'select role from members m join people p on p.id = m.person_id where p.subject = $1',
        [alice.subject],
      );
      return rows[0]?.['role'] ?? null;
    };
    expect(await roleWith('staff')).toBe('viewer');
    expect(await roleWith('staff', 'cn=admins', 'gone', 'others')).toBe('admin');
    expect(await roleWith('staff')).toBe('viewer');
    expect(await roleWith('others')).toBe(null);
    const { rows } = await service.query(`select action from audit_records where account_id = $1 order by seq`, [
      MAPPED,
    ]);
    expect(rows.map(({ action }) => action)).toEqual([
      'member.joined',
      'member.role_changed',
      'member.role_changed',
      'member.removed',
    ]);
  });

  it('do not change the role of members who were invited', async () => {
    const account = await service.openAccount();
    const { person } = await join(account, 'admin');
    await signIn({ ...person, groups: ['staff'] } as never);
    await signIn({ ...person, groups: [] });
    expect(await membersOf(account.key)).toMatchObject([{ role: 'admin', added_by: 'invitation' }]);
  });
});

describe('a member by invitation and by provider group', () => {
  const INVITED = `acc_${'3'.repeat(26)}`;

  it.each([
    ['viewer', 'admin', 'viewer'],
    ['editor', 'admin', 'editor'],
    ['admin', 'admin', 'admin'],
  ])('keeps the invited role of %s after leaving the group that gave the admin role', async (role, during, after) => {
    await service.query(
      `insert into accounts (id, name, plan, created_at) values ($1, 'invited', 'selfhost', now()) on conflict do nothing`,
      [INVITED],
    );
    const alice = someone({ groups: ['chiefs'] });
    await signIn(alice);
    const { token } = await service
      .get(Members)
      .invite({ accountId: INVITED, email: alice.email, role: role as 'viewer', invitedBy: 'cli' });
    await signIn(alice, token);
    const now = async () => {
      const { rows } = await service.query(
        'select m.role, m.added_by from members m join people p on p.id = m.person_id where p.subject = $1',
        [alice.subject],
      );
      return rows;
    };
    expect(await now()).toMatchObject([{ role: during }]);
    await signIn({ ...alice, groups: [] });
    expect(await now()).toEqual([{ role: after, added_by: 'invitation' }]);
  });
});

describe('an invitation to a suspended account', () => {
  it('is refused, and works again when the account is resumed', async () => {
    const { id, key } = await service.openAccount();
    const alice = someone();
    const { token } = await invite(key, alice.email);
    await service.get(AccountLifecycle).suspend(id);
    await expect(signIn(alice, token)).rejects.toMatchObject({ code: 'link_expired' });
    await service.get(AccountLifecycle).resume(id);
    expect(await signIn(alice, token)).toMatchObject({ accountId: id });
  });
});

describe('the operator’s own account', () => {
  it('cannot be deleted, and stays the only one that may open accounts', async () => {
    const accounts = service.get(AccountLifecycle);
    await expect(accounts.delete(service.account.id)).rejects.toMatchObject({ code: 'precondition_failed' });
    const mayOpen = async (key: string) => (await asKey(key, 'GET', '/v1/me')).body['can_open_accounts'];
    expect(await mayOpen(service.account.key)).toBe(true);
    const older = await service.query<{ id: string }>(
      `insert into accounts (id, name, plan, created_at) values ($1, 'older', 'selfhost', now()) returning id`,
      [`acc_${'0'.repeat(26)}`],
    );
    expect(await mayOpen(service.account.key)).toBe(true);
    await accounts.delete(String(older.rows[0]?.id));
    expect(await mayOpen((await service.openAccount()).key)).toBe(false);
  });
});

describe('an account for a client', () => {
  it('is opened by the operator together with an invitation for its admin', async () => {
    const body = { name: 'Client Ltd', invite: 'client@example.test' };
    const opened = await asKey(service.account.key, 'POST', '/v1/accounts', body);
    expect(opened).toMatchObject({ status: 201, body: { name: 'Client Ltd', plan: 'selfhost' } });
    const token = String(opened.body['link']).replace('/ui/#invitation=', '');
    const { accountId } = await signIn(someone({ email: 'client@example.test' }), token);
    expect(accountId).toBe(opened.body['id']);
    const key = String(opened.body['key']);
    expect(await membersOf(key)).toMatchObject([{ role: 'admin' }]);
    expect(await recordsOf(key, 1, '?action=account.*')).toMatchObject([
      { action: 'account.created', actor: { type: 'key', name: 'first' }, target_id: accountId },
    ]);
  });

  it('is opened by an admin of the operator’s account, who also becomes its admin', async () => {
    const alice = await join(service.account, 'admin');
    const opened = await alice.ask({ method: 'POST', path: '/v1/accounts', body: { name: 'Own' } });
    expect((await alice.ask({ path: '/v1/members' }, String(opened.body['id']))).body).toMatchObject({
      data: [{ id: alice.id, role: 'admin' }],
    });
  });

  it('cannot be opened from other accounts, and is not created after an error', async () => {
    const { key } = await service.openAccount();
    expect((await asKey(key, 'POST', '/v1/accounts', { name: 'More' })).status).toBe(404);
    const before = await service.query('select from accounts');
    const refused = await asKey(service.account.key, 'POST', '/v1/accounts', { name: 'Half', plan: 'none' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await service.query('select from accounts')).rowCount).toBe(before.rowCount);
  });
});

describe('the audit trail', () => {
  it('names the people who acted', async () => {
    const account = await service.openAccount();
    const alice = await join(account, 'editor');
    await alice.ask({ method: 'POST', path: '/v1/watchlist', body: { domain: 'named.test' } });
    expect(await recordsOf(account.key, 5)).toMatchObject([
      { action: 'account.created' },
      { action: 'invitation.made', actor: { type: 'key' }, after: { role: 'editor', host: 'example.test' } },
      { action: 'member.joined', target_id: alice.id, actor: { type: 'person', id: alice.id, name: 'Alice' } },
      { action: 'session.started', actor: { type: 'person', id: alice.id } },
      { action: 'watchlist.added', actor: { type: 'person', id: alice.id, name: 'Alice' } },
    ]);
  });
});
