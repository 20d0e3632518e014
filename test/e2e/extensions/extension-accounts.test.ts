import { describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { createApplication } from '../../../src/app/bootstrap.js';
import { Config } from '../../../src/config/config.js';
import { BUILT_IN_PLANS } from '../../../src/config/plans.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import {
  AccountAuthenticator,
  ApiProblems,
  AuditTrail,
  type Caller,
  type Credential,
  CurrentAccount,
  CurrentCaller,
  defineExtension,
  DomainError,
  type Identity,
  InvalidToken,
  LookupSource,
  PlanSource,
  type PlansByName,
  Public,
  type ProblemCode,
  RequiresScope,
  type Scope,
  type SourceAnswer,
  type SourceServer,
  UnitOfWork,
} from '../../../src/kit.js';
import { eventually } from '../../support/eventually.js';
import { ApiDocument } from '../../support/documents/api-document.js';
import { PushSender } from '../../support/fakes/push-sender.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const sessions = new Map<string, Identity | Error>();
const plans: { entries: number } = { entries: 2 };

/** Sessions of another system, in memory. */
class SessionAuthenticator extends AccountAuthenticator {
  identify({ scheme, token }: Credential): Promise<Identity | null> {
    if (scheme !== 'session') return Promise.resolve(null);
    const found = sessions.get(token);
    if (found === undefined) return Promise.reject(new InvalidToken('There is no such session.'));
    return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
  }
}

class LedgerPlans extends PlanSource {
  load(): Promise<PlansByName> {
    const { selfhost, free } = BUILT_IN_PLANS;
    if (!selfhost || !free) throw new Error('no built-in plans');
    return Promise.resolve({ selfhost, metered: { ...free, entries: plans.entries } });
  }
}

class LedgerSource extends LookupSource {
  readonly name = 'ledger.registry';
  readonly role = 'first';

  servers(): ReadonlyMap<string, SourceServer> {
    return new Map(['zoo', 'abc', 'No TLD!'].map((tld) => [tld, { host: 'registry.example.test', port: 443 }]));
  }

  ask(): Promise<SourceAnswer> {
    throw new Error('it is asked for nothing here');
  }
}

class LedgerSender extends PushSender {
  override readonly type = 'ledger.push';
  override readonly hasSecretTarget = true;
  override readonly supportsHeaders = true;
}

class LedgerBody {
  @IsString() note: string;
}

@ApiTags('Ledger')
@Controller('v1/x/ledger')
class LedgerController {
  constructor(
    private readonly audit: AuditTrail,
    private readonly work: UnitOfWork,
  ) {}

  @Get()
  @RequiresScope('ledger:read')
  @ApiProblems()
  read(@CurrentAccount() { id }: Caller['account'], @CurrentCaller() { by }: Caller) {
    return { account: id, by: by.kind };
  }

  @Get('help')
  @Public()
  help() {
    return { text: 'Ask the bookkeeper.' };
  }

  @Post('notes')
  @RequiresScope('ledger:write' as Scope)
  @ApiProblems()
  note(@CurrentAccount() { id: accountId }: Caller['account'], @Body() { note }: LedgerBody): Promise<void> {
    return this.work.run(async () => {
      await this.audit.record({ action: 'ledger.noted', accountId, targetId: 'note_1', after: { note } });
      if (note === 'unknown') throw new Error('it was noted before');
    });
  }

  @Post()
  @RequiresScope('ledger:write' as Scope)
  @ApiProblems('ledger_closed' as 'not_found')
  write(@Body() { note }: LedgerBody) {
    const code = note === 'unknown' ? 'ledger_lost' : 'ledger_closed'; // the one is not declared, as in JavaScript
    throw new DomainError(code as ProblemCode, 'It is closed.', { until: 'Monday' });
  }
}

const ledger = defineExtension({
  name: 'ledger',
  compatibility: '*',
  planSource: LedgerPlans,
  authenticators: [SessionAuthenticator],
  controllers: [LedgerController],
  lookupSources: [LedgerSource],
  channelSenders: [LedgerSender],
  links: [
    { label: 'Ledger <b>', path: '/v1/x/ledger', scope: 'ledger:read' },
    { label: 'Help', path: '/v1/x/ledger/help' },
  ],
  scopes: ['ledger:read', 'ledger:write'] as unknown as Scope[],
  problems: {
    ledger_closed: { status: 409, title: 'The ledger is closed', about: 'Open it & `retry`.', retryable: false },
  },
});

const service = running(() => startTestService({ ROLE: 'api' }, Extensions.from([ledger])));

const opened = async (changes: Partial<Identity> = {}, plan?: string) => {
  const { id } = await service.openAccount(plan);
  const token = `t${sessions.size}`;
  const scopes = ['ledger:read', 'watchlist:write'] as Scope[];
  sessions.set(token, { accountId: id, subject: 'alice', scopes, expiresAt: null, ...changes });
  return { id, token, headers: { authorization: `Session ${token}` } };
};
const as = ({ headers }: { headers: Record<string, string> }, path: string, body?: unknown) =>
  service.call({ path, headers, key: null, ...(body === undefined ? {} : { method: 'POST', body }) });

describe('a caller that an extension authenticates', () => {
  it('may use only the scopes that the extension gives, and is shown by /v1/me', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const alice = await opened({ expiresAt });
    const { status, body } = await as(alice, '/v1/me');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        account: { id: alice.id },
        key: null,
        identity: {
          authenticator: 'ledger',
          subject: 'alice',
          scopes: ['ledger:read', 'watchlist:write'],
          expires_at: expiresAt.toISOString(),
        },
      },
    });
    expect((await as(alice, '/v1/watchlist', { domain: 'a.test' })).status).toBe(201);
    expect(await as(alice, '/v1/keys')).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  });

  it('is shown as the issuer of the API keys that they issued', async () => {
    const admin = await opened({ scopes: ['admin'] });
    expect((await as(admin, '/v1/keys', { name: 'deploy', scopes: ['ledger:read'] })).status).toBe(201);
    const { body } = await as(admin, '/v1/keys');
    expect((body['data'] as object[]).at(-1)).toMatchObject({ issued_by: 'ledger:alice', scopes: ['ledger:read'] });
  });

  it('is named in the audit trail together with the extension', async () => {
    const [ann, nameless] = [await opened({ name: 'Ann Lee', scopes: ['admin'] }), await opened({ scopes: ['admin'] })];
    const actorOf = async (caller: typeof ann) => {
      await as(caller, '/v1/keys', { name: 'deploy', scopes: ['ledger:read'] });
      const { body } = await eventually(
        () => as(caller, '/v1/audit?action=key.issued'),
        (answer) => (answer.body['data'] as unknown[]).length > 0,
      );
      return (body['data'] as { actor: object }[])[0]?.actor;
    };
    expect(await actorOf(ann)).toEqual({ type: 'identity', id: 'alice', name: 'Ann Lee (ledger)' });
    expect(await actorOf(nameless)).toEqual({ type: 'identity', id: 'alice', name: 'ledger' });
    expect((await as(ann, '/v1/me')).body).toMatchObject({ identity: { subject: 'alice', name: 'Ann Lee' } });
  });

  it('gets 503 while the extension’s authenticator fails; API keys keep working', async () => {
    sessions.set('broken', new Error('the session store is away'));
    const answer = await as({ headers: { authorization: 'Session broken' } }, '/v1/me');
    expect(answer).toMatchObject({ status: 503, body: { code: 'authentication_unavailable', retryable: true } });
    expect(answer.headers['retry-after']).toBe('5');
    expect((await service.call({ path: '/v1/me' })).status).toBe(200);
  });
});

describe('a controller of an extension', () => {
  it('requires a scope of the extension, which API keys can have', async () => {
    const issue = (scopes?: string[]) =>
      service.call({ method: 'POST', path: '/v1/keys', body: { name: 'k', ...(scopes && { scopes }) } });
    const [reader, all, other] = [await issue(['ledger:read']), await issue(), await issue(['domains:read'])];
    expect(all.body['scopes']).toContain('ledger:read');
    const read = (answer: typeof all) => service.call({ path: '/v1/x/ledger', key: String(answer.body['key']) });
    expect([(await read(reader)).status, (await read(all)).status]).toEqual([200, 200]);
    expect(await read(other)).toMatchObject({ status: 403, body: { detail: expect.stringContaining('ledger:read') } });
    expect(await service.call({ path: '/v1/x/ledger', key: null })).toMatchObject({ status: 401 });
    expect(await service.call({ path: '/v1/x/ledger?x=1' })).toMatchObject({ status: 400 });
    expect(await issue(['ledger:delete'])).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('can answer with a problem code of the extension, which has its own page', async () => {
    const refused = await service.call({ method: 'POST', path: '/v1/x/ledger', body: { note: 'a' } });
    expect(refused).toMatchObject({
      status: 409,
      body: { type: '/problems/ledger_closed', title: 'The ledger is closed', code: 'ledger_closed', until: 'Monday' },
    });
    const page = await service.call({ path: '/problems/ledger_closed', key: null });
    expect(page.body['text']).toContain('Open it &amp; <code>retry</code>.');
    const post = (body: object) => service.call({ method: 'POST', path: '/v1/x/ledger', body });
    expect([(await post({ note: 'unknown' })).status, (await post({ colour: 'red' })).status]).toEqual([500, 400]);
  });

  it('leaves an audit record only if its transaction succeeds', async () => {
    const { key } = await service.openAccount();
    const note = (text: string) =>
      service.call({ method: 'POST', path: '/v1/x/ledger/notes', key, body: { note: text } });
    expect([(await note('unknown')).status, (await note('<b>paid</b>')).status]).toEqual([500, 201]);
    const { body } = await eventually(
      () => service.call({ path: '/v1/audit?action=ledger.*', key }),
      ({ body: { data } }) => (data as unknown[]).length > 0,
    );
    expect(body['data']).toEqual([
      expect.objectContaining({
        action: 'ledger.noted',
        target_id: 'note_1',
        before: null,
        after: { note: '<b>paid</b>' },
        actor: { type: 'key', id: `key_${key.slice(3, 29)}`, name: expect.any(String) },
        address: '127.0.0.1',
      }),
    ]);
  });

  it('is in the API document, with its tag, scope and problem codes', async () => {
    const document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
    const written = document.operations.find(
      ({ method, path }) => method.toLowerCase() === 'post' && path === '/v1/x/ledger',
    );
    expect(written).toMatchObject({ tags: ['Ledger'], 'x-required-scope': 'ledger:write' });
    if (written) expect(document.problemCodes(written)).toContain('ledger_closed');
    expect(document.root.tags).toContainEqual({ name: 'Ledger', description: expect.any(String) });
    const { ListedKey } = document.root.components.schemas as Record<string, { properties: Record<string, object> }>;
    expect(JSON.stringify(ListedKey?.properties['scopes'])).toContain('ledger:write');
    expect(JSON.stringify(document.root)).not.toContain('x-problem-codes');
  });

  it('has its links listed only for keys with the required scope', async () => {
    const labels = async (scope: string) => {
      const { body } = await service.call({ method: 'POST', path: '/v1/keys', body: { name: 'k', scopes: [scope] } });
      const { body: list } = await service.call({ path: '/v1/extensions', key: String(body['key']) });
      return (list['data'] as { links: { label: string }[] }[]).flatMap(({ links }) => links.map(({ label }) => label));
    };
    expect(await labels('domains:read')).toEqual(['Help']);
    for (const scope of ['ledger:read', 'admin']) expect(await labels(scope)).toEqual(['Ledger <b>', 'Help']);
    const help = await service.call({ path: '/v1/x/ledger/help', key: null }); // as any page of an extension
    expect(help).toMatchObject({
      status: 200,
      headers: { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
    });
    expect(await service.call({ path: '/v1/extensions', key: null })).toMatchObject({ status: 401 });
    expect(await service.call({ path: '/v1/extensions?x=1' })).toMatchObject({ status: 400 });
  });

  it('is listed with its extension by /v1/extensions, as the API document describes', async () => {
    const answer = await service.call({ path: '/v1/extensions' });
    const target = 'https://push.example.test/topics/domains';
    expect(answer.body).toEqual({
      data: [
        {
          name: 'ledger',
          version: null,
          channel_types: [
            {
              type: 'ledger.push',
              about: 'Messages to a topic',
              secret: 'account',
              fields: [
                { name: 'target', required: true, secret: true, example: target },
                { name: 'credential', required: true, secret: true, example: null },
                { name: 'headers', required: false, secret: true, example: null },
              ],
            },
          ],
          lookup_sources: [{ name: 'ledger.registry', role: 'first', tlds: ['abc', 'zoo'] }],
          scopes: ['ledger:read', 'ledger:write'],
          links: [
            { label: 'Ledger <b>', path: '/v1/x/ledger', public: false },
            { label: 'Help', path: '/v1/x/ledger/help', public: true },
          ],
        },
      ],
    });
    const document = new ApiDocument((await service.call({ path: '/openapi.json', key: null })).body);
    expect(document.objections(document.operation('listExtensions'), answer)).toEqual([]);
  });

  it('does not exist in another application of the same process, nor do its scopes and codes', async () => {
    const other = await createApplication(service.get(Config));
    try {
      const headers = { authorization: `Bearer ${service.account.key}`, 'content-type': 'application/json' };
      const payload = JSON.stringify({ name: 'k', scopes: ['ledger:read'] });
      expect((await other.inject({ method: 'POST', url: '/v1/keys', headers, payload })).statusCode).toBe(400);
      for (const url of ['/v1/x/ledger', '/problems/ledger_closed'])
        expect((await other.inject({ method: 'GET', url, headers })).statusCode).toBe(404);
      expect((await other.inject({ method: 'GET', url: '/openapi.json' })).body).not.toContain('ledger');
      expect((await other.inject({ method: 'GET', url: '/v1/extensions', headers })).json()).toEqual({ data: [] });
    } finally {
      await other.close();
    }
  });
});
