import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { AccountAdminService, AccountLifecycle } from '../../../src/auth/index.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import {
  AccountAuthenticator,
  type Credential,
  defineExtension,
  type Identity,
  InvalidToken,
  RequiresScope,
  type Scope,
} from '../../../src/kit.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { OWN, Person } from '../../support/servers/people.js';
import { startTestService } from '../../support/servers/test-service.js';

const identities = new Map<string, Identity>();

class Visitors extends AccountAuthenticator {
  identify({ scheme, token }: Credential): Promise<Identity | null> {
    if (scheme !== 'visitor') return Promise.resolve(null);
    const found = identities.get(token);
    return found ? Promise.resolve(found) : Promise.reject(new InvalidToken('Nobody.'));
  }
}

/** A download that would never end. */
async function* drops() {
  for (;;) {
    yield 'drop\n';
    await sleep(20);
  }
}

@Controller('v1/x/tap')
class TapController {
  @Get('drip')
  @RequiresScope('watchlist:write')
  drip(@Res() reply: FastifyReply): void {
    void reply.type('text/plain').send(Readable.from(drops(), { objectMode: false }));
  }
}

const tap = Extensions.from([
  defineExtension({ name: 'tap', compatibility: '*', authenticators: [Visitors], controllers: [TapController] }),
]);
const service = running(() => startTestService({ ROLE: 'api' }, tap));
/** Another process on the same database, which hears of nothing. */
const other = running(() => startTestService({ ROLE: 'api', DATABASE_URL: service.databaseUrl }, tap));

const dispatcher = new Agent();
let address = '';
beforeAll(async () => {
  await other.app.listen(0, '127.0.0.1');
  address = await other.app.getUrl();
});
afterAll(() => dispatcher.destroy());

interface Opened {
  readonly headers: Record<string, string>;
  /** Ends the authorization. */
  readonly lose: () => Promise<unknown>;
}

const EVENTS = '/v1/events/stream';
const DOWNLOAD = '/v1/x/tap/drip';

async function aPersonOfTwo(namesAccount: boolean): Promise<Opened> {
  const [first, second] = [await service.openAccount(), await service.openAccount()];
  const person = await Person.of(service, { [first.id]: 'editor', [second.id]: 'editor' });
  const named = { 'x-namewatch-account': first.id };
  const headers = { ...OWN, cookie: await person.signIn(first.id), ...(namesAccount && named) };
  return { headers, lose: () => person.leave(first.id) };
}

async function aPersonWhoBecomesViewer(): Promise<Opened> {
  const { id } = await service.openAccount();
  const person = await Person.of(service, { [id]: 'editor' });
  return { headers: { ...OWN, cookie: await person.signIn(id) }, lose: () => person.becomes('viewer', id) };
}

async function anAccountThatIs(what: 'suspend' | 'delete'): Promise<Opened> {
  const { id, key } = await service.openAccount();
  return { headers: { authorization: `Bearer ${key}` }, lose: () => service.get(AccountLifecycle)[what](id) };
}

async function aRevokedKey(): Promise<Opened> {
  const { key } = await service.openAccount();
  const id = `key_${key.split('_')[1] ?? ''}`;
  return { headers: { authorization: `Bearer ${key}` }, lose: () => service.get(AccountAdminService).revoke(id) };
}

async function anIdentityThat(becomes: (now: Identity) => Promise<Identity | null>): Promise<Opened> {
  const { id: accountId } = await service.openAccount();
  const token = randomUUID();
  const scopes = ['watchlist:read', 'watchlist:write'] as Scope[];
  const identity: Identity = { accountId, subject: 'alice', scopes, expiresAt: null };
  identities.set(token, identity);
  const lose = async () => {
    const next = await becomes(identity);
    if (next) identities.set(token, next);
    else identities.delete(token);
  };
  return { headers: { authorization: `Visitor ${token}` }, lose };
}

/** Resolves with how long after the loss the answer went on. */
async function outlives(path: string, { headers, lose }: Opened): Promise<number> {
  const answer = await fetch(address + path, { headers, dispatcher });
  expect(answer.status).toBe(200);
  const read = answer.text().catch(() => 'cut off');
  await sleep(1_200);
  await lose();
  const lostAt = performance.now();
  const still = await Promise.race([read, sleep(8_000, 'still open')]);
  expect(still).not.toBe('still open');
  return performance.now() - lostAt;
}

describe('a response that is still being sent', () => {
  it.concurrent.each<[string, string, () => Promise<Opened>]>([
    ['a member leaves the account of the session', EVENTS, () => aPersonOfTwo(false)],
    ['a member leaves the account named in a header', EVENTS, () => aPersonOfTwo(true)],
    ['the account of a key is suspended', EVENTS, () => anAccountThatIs('suspend')],
    ['a token of an extension moves to another account', EVENTS, () => anIdentityThat(movesOn)],
    ['a member leaves the account of the session', DOWNLOAD, () => aPersonOfTwo(false)],
    ['the new role of a member lacks the scope', DOWNLOAD, aPersonWhoBecomesViewer],
    ['a key is revoked', DOWNLOAD, aRevokedKey],
    ['the account of a key is deleted', DOWNLOAD, () => anAccountThatIs('delete')],
    [
      'a token of an extension loses the scope',
      DOWNLOAD,
      () => anIdentityThat((now) => Promise.resolve({ ...now, scopes: [] })),
    ],
    [
      'a token of an extension now belongs to another person',
      DOWNLOAD,
      () => anIdentityThat((now) => Promise.resolve({ ...now, subject: 'b' })),
    ],
    ['a token of an extension is no longer valid', DOWNLOAD, () => anIdentityThat(() => Promise.resolve(null))],
  ])('ends within seconds, on another process too, when %s (%s)', async (_, path, open) => {
    expect(await outlives(path, await open())).toBeLessThan(3_000);
  });

  it.concurrent('goes on when the member’s new role still has the required scope', async () => {
    const { id } = await service.openAccount();
    const person = await Person.of(service, { [id]: 'editor' });
    const headers = { ...OWN, cookie: await person.signIn(id) };
    const leaving = new AbortController();
    const answer = await fetch(address + EVENTS, { headers, dispatcher, signal: leaving.signal });
    const read = answer.text().catch(() => 'left');
    await person.becomes('viewer', id);
    expect(await Promise.race([read, sleep(2_500, 'still open')])).toBe('still open');
    leaving.abort();
  });
});

describe('an import that is under way', () => {
  it('adds no further names once the member’s new role forbids imports', async () => {
    const { id, key } = await service.openAccount();
    const person = await Person.of(service, { [id]: 'editor' });
    const cookie = await person.signIn(id);
    const lines = Array.from({ length: 300 }, (_, n) => `import${n}.test`);
    await service.query('begin');
    await service.query('lock table watch_entries in exclusive mode');
    const sent = fetch(`${address}/v1/watchlist/import`, {
      method: 'POST',
      dispatcher,
      headers: { ...OWN, cookie, 'content-type': 'text/csv', 'x-namewatch-account': id },
      body: ['domain', ...lines].join('\n'),
    }).then(
      ({ status }) => status,
      () => 'cut off',
    );
    await sleep(1_000);
    await other.query('update members set role = $1 where person_id = $2', ['viewer', person.id]);
    await sleep(1_500);
    await service.query('commit');
    expect(await sent).not.toBe(200);
    const imports = () => service.call({ path: '/v1/audit?action=watchlist.imported', key });
    const { body } = await eventually(imports, (answer) => (answer.body['data'] as unknown[]).length === 1);
    expect(body['data']).toMatchObject([{ after: { created: 200 } }]); // the transaction that was under way
    const { total } = (await service.call({ path: '/v1/watchlist', key })).body['meta'] as { total: number };
    expect(total).toBe(200);
  });
});

async function movesOn(now: Identity): Promise<Identity> {
  return { ...now, accountId: (await service.openAccount()).id };
}
