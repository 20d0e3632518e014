import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Members, parseApiKey } from '../../../src/auth/index.js';
import { runAsProcess } from '../../support/programs/command-line.js';
import { running } from '../../support/running.js';
import { CommandLineService } from '../../support/servers/command-line-service.js';
import { afterWaiting } from '../../support/fakes/process-time.js';
import type { TestService } from '../../support/servers/test-service.js';
import { MailCatcher } from '../../world/mailbox.js';
import { leaksIn } from '../../support/database/dump-database.js';

describe('the command line', () => {
  const commands = running(() => CommandLineService.start());
  const namewatch = (words: readonly string[], changes: Record<string, string> = {}) => commands.run(words, changes);
  const json = (...words: string[]) => commands.json(...words);
  let service: TestService;
  beforeAll(() => void ({ service } = commands));

  describe('with an account or key command', () => {
    const COMMANDS = [
      ['key', 'list'],
      ['key', 'create', '--name', 'ci'],
      ['account', 'change', '--plan', 'pro'],
      ['account', 'resume'],
    ];

    it('uses the only account if no account is named', async () => {
      for (const command of COMMANDS) expect(await namewatch(command)).toMatchObject({ code: 0, err: '' });
      const { data } = (await service.call({ path: '/v1/keys' })).body as { data: { name: string }[] };
      expect(data.map(({ name }) => name)).toEqual(['first', 'ci']);
      expect((await service.call({ path: '/v1/me' })).body).toMatchObject({ account: { plan: 'pro' } });
    });

    it('exits with 2 and lists the accounts if there are several and none is named', async () => {
      const other = await service.openAccount();
      for (const command of COMMANDS) {
        const { code, err } = await namewatch(command);
        expect(code).toBe(2);
        expect(err).toMatch(/there are 2 accounts, name one (with --account|by its id):/);
        for (const { id } of [service.account, other]) expect(err).toContain(`  ${id}  test`);
      }
    });

    it('does not delete or suspend an account unless its id is given', async () => {
      for (const command of ['delete', 'suspend'])
        expect(await namewatch(['account', command])).toMatchObject({ code: 2, err: expect.stringContaining('id') });
    });
  });

  it('changes or removes all matching names with --yes, and only lists the names without --yes', async () => {
    const rows = ['a', 'b', 'c'].map((label) => `{"domain":"${label}--many.test","tags":["many"]}`);
    writeFileSync(join(commands.folder, 'many.ndjson'), rows.join('\n'));
    const { import_id } = await json('import', join(commands.folder, 'many.ndjson'));
    const set = ['watch', 'set', '--tag', 'many', '--interval', '60', '--add-tag', 'x y', '--remove-tag', 'many'];
    const asked = await namewatch([...set, '--pause', '--remind', 'none', '--note', 'seen']);
    expect(asked).toMatchObject({ code: 2, out: '' });
    expect(asked.err.split('\n')).toEqual([
      'would be changed: a--many.test, b--many.test, c--many.test',
      '3 names match: 3 would be changed (nothing was written)',
      'nothing was written: repeat it with --yes',
    ]);
    expect(await namewatch([...set, '--pause', '--remind', 'none', '--note', 'seen', '--yes'])).toMatchObject({
      code: 0,
      out: 'changed: a--many.test, b--many.test, c--many.test\n3 names match: 3 changed',
    });
    expect(await json('watch', 'show', 'a--many.test')).toMatchObject({
      ...{ interval_minutes: 60, tags: ['x y'], paused: true, remind_days: [], note: 'seen' },
    });
    const again = ['watch', 'set', '--import', String(import_id)];
    const fields = [
      '--fields',
      '{"expected":{"locked":true}}',
      '--resume',
      '--no-note',
      '--remind',
      '30,90',
      '--set-purpose',
      'own',
    ];
    expect(await json(...again, ...fields, '--yes')).toMatchObject({ matched: 3, changed: 3 });
    expect(await json('watch', 'show', 'b--many.test')).toMatchObject({
      ...{ expected: { locked: true }, paused: false, remind_days: [90, 30], note: null, purpose: 'own' },
    });
    const refused = await namewatch(['watch', 'set', '--search', '--many', '--interval', '7', '--yes']);
    expect(refused.out).toContain('3 names match: 0 would be changed, 3 refused (nothing was written)');
    expect(refused.out).toContain('c--many.test: interval_not_allowed: ');
    for (const wrong of [['set', '--all'], ['set', '--pause'], ['remove'], ['remove', 'a--many.test', '--tag', 'x']])
      expect(await namewatch(['watch', ...wrong, '--yes'])).toMatchObject({ code: 2 });
    expect(await json('watch', 'remove', '--import', String(import_id), '--dry-run')).toMatchObject({ removed: 3 });
    expect(await namewatch(['watch', 'remove', '--import', String(import_id), '--yes'])).toMatchObject({ code: 0 });
    expect((await namewatch(['watch', 'list', '--search', '--many'])).out).toBe('no name matches');
  });

  it('creates an account with a key that works at once', async () => {
    const opened = await json('account', 'create', '--name', 'Acme', '--plan', 'pro');
    expect(opened).toEqual({
      account: {
        id: expect.stringMatching(/^acc_/),
        name: 'Acme',
        plan: 'pro',
        created_at: expect.any(String),
        suspended_at: null,
      },
      key: expect.any(String),
    });
    const answer = await service.call({ path: '/v1/watchlist', key: String(opened['key']) });
    expect(answer.status).toBe(200);
  });

  it('changes the plan of an account', async () => {
    const { account } = (await json('account', 'create', '--name', 'Acme', '--plan', 'pro')) as {
      account: Record<string, unknown>;
    };
    const changed = await json('account', 'change', String(account['id']), '--plan', 'free');
    expect(changed).toEqual({ account: { ...account, plan: 'free' } });
  });

  it('invites people to an account, changes their roles, and removes even the last admin', async () => {
    const opened = await json('account', 'create', '--name', 'Client Ltd', '--invite', 'alice@client.test');
    const account = String((opened['account'] as { id: string }).id);
    const members = service.get(Members);
    const [issuer, subject, email] = ['https://login.example', 'alice', 'alice@client.test'];
    const token = String(opened['link']).replace('/ui/#invitation=', '');
    const { id } = await members.signIn({ issuer, subject, name: 'A\u0007lice', email, groups: [] }, token);
    const bob = await json('member', 'invite', 'bob@client.test', '--account', account);
    expect(bob).toMatchObject({ role: 'viewer', link: expect.stringMatching(/^\/ui\/#invitation=inv_/) });
    const { out } = await namewatch(['member', 'list', '--account', account]);
    expect(out.split('\n')).toEqual([
      `${id}  admin  alice@client.test  A\\u{7}lice`,
      expect.stringMatching(/^inv_\w+ {2}viewer {2}bob@client\.test {2}invited until /),
    ]);
    for (const words of [
      ['role', id, 'viewer'],
      ['role', id, 'admin'],
      ['remove', id],
      ['remove', String(bob['id'])],
    ])
      expect(await namewatch(['member', ...words, '--account', account])).toMatchObject({ code: 0, err: '' });
    expect(await json('member', 'list', '--account', account)).toMatchObject({ data: [], invitations: [] });
    expect(await namewatch(['member', 'remove', id, '--account', account])).toMatchObject({ code: 3 });
  });

  it('creates a key with scopes, lists the key without its secret text, and revokes it', async () => {
    const { id: account } = service.account;
    const issued = await json('key', 'create', '--account', account, '--name', 'ci', '--scope', 'watchlist:read');
    expect(issued).toMatchObject({ name: 'ci', scopes: ['watchlist:read'], expires_at: null });
    const key = String(issued['key']);
    expect((await service.call({ path: '/v1/watchlist', key })).status).toBe(200);
    expect((await service.call({ path: '/v1/notifications', key })).status).toBe(403);
    const { data } = (await json('key', 'list', '--account', account)) as { data: Record<string, unknown>[] };
    expect(data.map(({ id }) => id)).toContain(issued['id']);
    expect(JSON.stringify(data)).not.toContain(key);
    await json('key', 'revoke', String(issued['id']));
    const use = () => service.call({ path: '/v1/watchlist', key });
    expect(await afterWaiting(1_000, use)).toMatchObject({ status: 401 });
  });

  it('generates a key without a database or a service', async () => {
    const { code, out } = await namewatch(['key', 'generate'], { DATABASE_URL: 'postgres://127.0.0.1:1/nothing' });
    expect(code).toBe(0);
    expect(parseApiKey(out)).not.toBeNull();
  });

  it('checks several names, and exits with 1 if one of them cannot be checked', async () => {
    const several = await namewatch(['check', 'available.test', 'registered.test']);
    expect(several.code).toBe(0);
    expect(several.out.split('\n').sort()).toEqual([
      'available.test is available',
      expect.stringMatching(/^registered\.test is registered, expires /),
    ]);
    expect(await namewatch(['check', 'available.test', 'www.registered.test'])).toMatchObject({
      code: 1,
      out: 'available.test is available',
      err: expect.stringMatching(/^www\.registered\.test not_registrable: /),
    });
  });

  it('checks a name, and with --exit-status exits with 10 if the name is not available', async () => {
    expect(await json('check', 'available.test')).toMatchObject({ domain: 'available.test', available: true });
    expect(await namewatch(['check', 'registered.test'])).toMatchObject({ code: 0 });
    expect(await runAsProcess(['check', 'registered.test', '--exit-status'], commands.env)).toMatchObject({ code: 10 });
    expect(await namewatch(['check', 'available.test', '--exit-status'])).toMatchObject({ code: 0 });
  });

  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['a registry’s error', ['check', 'timeout.test'], {}, 1, /registry_timeout/],
    ['an unknown command', ['chekc'], {}, 2, /unknown command/],
    ['a missing option', ['key', 'create'], {}, 2, /--name/],
    [
      'an unknown scope',
      ['key', 'create', '--account', 'a', '--name', 'n', '--scope', 'all'],
      {},
      2,
      /Allowed choices/,
    ],
    ['an unknown account', ['key', 'list', '--account', 'acc_0'], {}, 3, /no account acc_0/],
    ['an unknown key', ['key', 'revoke', 'key_0'], {}, 3, /no key key_0/],
    ['a key that is not valid', ['check', 'a.test'], { NAMEWATCH_KEY: 'nonsense' }, 4, /invalid_token/],
    ['a name that cannot be checked', ['check', 'co.uk'], {}, 5, /domain_is_public_suffix/],
    ['an invitation without a mail address', ['member', 'invite', 'alice'], {}, 2, /address/],
    ['a role that does not exist', ['member', 'role', 'per_0', 'owner'], {}, 2, /viewer, editor, admin/],
    ['a change without a plan', ['account', 'change', 'acc_0'], {}, 2, /--plan/],
    ['a change of an unknown account', ['account', 'change', 'acc_0', '--plan', 'pro'], {}, 3, /no account acc_0/],
    ['an unknown plan', ['account', 'create', '--name', 'x', '--plan', 'gold'], {}, 5, /no plan gold/],
    [
      'a service that cannot be reached',
      ['check', 'a.test'],
      { NAMEWATCH_URL: 'http://127.0.0.1:1' },
      69,
      /no Namewatch answers/,
    ],
    [
      'invalid settings',
      ['up'],
      { PORT: 'x', TRUST_PROXY: 'notanetwork' },
      78,
      /^PORT must be[^\n]*\nTRUST_PROXY must be[^\n]*$/,
    ],
  ])('exits with the right code and message for %s', async (_, words, changes, code, said) => {
    const ended = await namewatch(words, changes);
    expect(ended).toMatchObject({ code, err: expect.stringMatching(said) });
  });

  it('does not log in to a mail relay without STARTTLS, and hides a password that a relay repeats', async () => {
    const secrets = { password: 'canary-hunter2-hunter2' };
    const mail = { MAIL_FROM: 'alerts@namewatch.example' };
    // Loopback by an address that does not say so: only 127.0.0.0/8, ::1 and localhost need no TLS.
    const relay = await MailCatcher.start({ login: { user: 'ada', password: 'another' }, host: '0.0.0.0' });
    const SMTP_URL = `smtp://ada:${secrets.password}@0.0.0.0:${relay.port}`;
    expect((await namewatch(['doctor', '--json'], { ...mail, SMTP_URL })).code).toBe(1);
    expect(relay.logins).toEqual([]);

    const login = Buffer.from(`\0ada\0${secrets.password}`).toString('base64');
    relay.refusals = { login: ({ password }) => `not understood: AUTH PLAIN ${login} ${password}` };
    const repeated = await namewatch(['doctor', '--json'], { ...mail, SMTP_URL: `${SMTP_URL}?requireTLS=false` });
    expect(repeated.code).toBe(1);
    expect(relay.logins).toEqual([{ user: 'ada', password: secrets.password }]);
    expect(leaksIn(repeated.out + repeated.err, { ...secrets, login })).toEqual([]);
    await relay.close();
  });
});
