import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { OWN, Person } from '../../support/servers/people.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const byCookie = (cookie: string, call: Partial<Call> = {}) =>
  service.call({ path: '/v1/me', key: null, ...call, headers: { cookie, ...OWN, ...call.headers } });
const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status);

describe('a signed-in person', () => {
  const add = { method: 'POST', path: '/v1/watchlist', body: { domain: 'ann.test' } };
  const inAccount = (cookie: string, id: string, call: Partial<Call> = {}) =>
    byCookie(cookie, { ...call, headers: { 'x-namewatch-account': id } });

  it('acts in whichever of two accounts the request names, and gets 403 for any other', async () => {
    const [first, second, third] = [
      await service.openAccount(),
      await service.openAccount(),
      await service.openAccount(),
    ];
    const ann = await Person.of(service, { [first.id]: 'viewer', [second.id]: 'editor' });
    const cookie = await ann.signIn(first.id);
    expect((await byCookie(cookie)).body).toMatchObject({
      account: { id: first.id },
      person: { name: 'Ann', role: 'viewer' },
    });
    expect((await inAccount(cookie, second.id)).body).toMatchObject({
      account: { id: second.id },
      person: { role: 'editor' },
    });
    expect(await inAccount(cookie, third.id)).toMatchObject({ status: 403, body: { code: 'not_a_member' } });
    const added = [await inAccount(cookie, first.id, add), await inAccount(cookie, second.id, add)];
    expect(statusesOf(added)).toEqual([403, 201]);
    expect((await inAccount(cookie, first.id, { path: '/v1/watchlist' })).body).toMatchObject({ meta: { total: 0 } });
    await ann.leave(second.id);
    await eventually(
      () => inAccount(cookie, second.id),
      ({ status }) => status === 403,
    );
  });

  const refused = { status: 400, body: { code: 'account_required' } };

  it('must name one of two accounts to change something, but not to read', async () => {
    const [first, second] = [await service.openAccount(), await service.openAccount()];
    const ann = await Person.of(service, { [first.id]: 'viewer', [second.id]: 'editor' });
    const cookie = await ann.signIn(first.id);
    expect(await byCookie(cookie, add)).toMatchObject(refused);
    const changeAll = { method: 'DELETE', path: '/v1/watchlist?all=true' };
    expect(await byCookie(cookie, changeAll)).toMatchObject(refused);
    expect((await byCookie(cookie, { path: '/v1/watchlist' })).status).toBe(200);
    const check = { method: 'POST', path: '/v1/domains/check', body: { domains: ['available.test'] } };
    expect((await byCookie(cookie, check)).status).toBe(200);
    expect((await inAccount(cookie, second.id, add)).status).toBe(201);
  });

  it.each(['the first', 'the second'])(
    'must still name the remaining account after being removed from %s of two',
    async (which) => {
      const accounts = [await service.openAccount(), await service.openAccount()] as const;
      const ann = await Person.of(service, { [accounts[0].id]: 'editor', [accounts[1].id]: 'editor' });
      const cookie = await ann.signIn(accounts[0].id);
      const [left, kept] = which === 'the first' ? accounts : accounts.toReversed();
      await ann.leave(String(left?.id));
      expect(await byCookie(cookie, add)).toMatchObject(refused);
      expect((await inAccount(cookie, String(kept?.id), add)).status).toBe(201);
    },
  );

  it('must name the account if they joined a second one after signing in', async () => {
    const [old, current] = [await service.openAccount(), await service.openAccount()];
    const ann = await Person.of(service, { [old.id]: 'editor' });
    const cookie = await ann.signIn(old.id);
    await ann.join(current.id, 'editor');
    expect(await byCookie(cookie, add)).toMatchObject(refused);
    await ann.leave(old.id);
    expect(await byCookie(cookie, add)).toMatchObject(refused);
  });

  it('need not name the account if they have only one', async () => {
    const { id } = await service.openAccount();
    const ann = await Person.of(service, { [id]: 'editor' });
    expect((await byCookie(await ann.signIn(id), add)).status).toBe(201);
  });
});

describe('an API key', () => {
  it('is refused with 403 if the request names an account other than the key’s', async () => {
    const [mine, other] = [await service.openAccount(), await service.openAccount()];
    const add = { method: 'POST', path: '/v1/watchlist', body: { domain: 'a.test' }, key: mine.key };
    for (const named of [other.id, '', 'acc_0', `${mine.id}, ${other.id}`])
      expect(await service.call({ ...add, headers: { 'x-namewatch-account': named } })).toMatchObject({
        status: 403,
        body: { code: 'not_a_member' },
      });
    expect((await service.call({ ...add, headers: { 'x-namewatch-account': mine.id } })).status).toBe(201);
  });
});
