import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { AuditAction } from '../../../src/auth/index.js';
import { createProgram } from '../../../src/cli/cli.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { auditRecordsOf } from '../../support/database/audit-records.js';
import { commandNames } from '../../support/programs/command-line.js';
import { running } from '../../support/running.js';
import { CommandLineService } from '../../support/servers/command-line-service.js';

const NEW_KEY = randomBytes(32).toString('base64');
const commands = running(() => CommandLineService.start({ MASTER_KEY_PREVIOUS: NEW_KEY }));
let database: pg.Client;
beforeAll(async () => {
  database = new pg.Client(commands.service.databaseUrl);
  await database.connect();
});
afterAll(() => database.end());

/** With a new master key, which the service knows. */
const namewatch = (...words: string[]) =>
  commands.run(words, { MASTER_KEY: NEW_KEY, MASTER_KEY_PREVIOUS: commands.env['MASTER_KEY'] ?? '' });

interface AuditedCommand {
  readonly actions: readonly AuditAction[];
  /** The words after the command. */
  readonly words: (account: {
    readonly id: string;
    readonly key: string;
    readonly personId: string;
  }) => readonly string[];
  readonly before?: readonly string[];
}

const AUDITED: Readonly<Record<string, AuditedCommand>> = {
  'account create': { actions: ['account.created'], words: () => ['--name', 'audited'] },
  'account change': { actions: ['account.plan_changed'], words: ({ id }) => [id, '--plan', 'free'] },
  'account suspend': { actions: ['account.suspended'], words: ({ id }) => [id] },
  'account resume': { actions: ['account.resumed'], words: ({ id }) => [id], before: ['account', 'suspend'] },
  'account delete': { actions: ['account.deletion_started', 'account.deleted'], words: ({ id }) => [id, '--yes'] },
  'key create': { actions: ['key.issued'], words: ({ id }) => ['--account', id, '--name', 'audited'] },
  'key revoke': { actions: ['key.revoked'], words: ({ key }) => [`key_${key.slice(3, 29)}`] },
  'member invite': { actions: ['invitation.made'], words: ({ id }) => ['a@client.test', '--account', id] },
  'member role': {
    actions: ['member.role_changed'],
    words: ({ id, personId }) => [personId, 'editor', '--account', id],
  },
  'member remove': { actions: ['member.removed'], words: ({ id, personId }) => [personId, '--account', id] },
  'secrets rotate': { actions: ['secrets.resealed'], words: () => [] },
};

const READS = 'changes nothing';
const BY_API = 'changes by requests to the service, which leave the records of their key';
/** Commands that leave no record of their own, and why. */
const UNAUDITED: Readonly<Record<string, string>> = {
  up: 'the account of a first start, and the key of an unattended one, are recorded as what they are',
  migrate: 'changes the schema, which has a table of its own that says when',
  'key generate': 'prints a key that is in no database',
  audit: READS,
  'account list': READS,
  'key list': READS,
  'member list': READS,
  check: READS,
  variants: READS,
  'extension new': 'writes files, and opens no database',
  explain: READS,
  doctor: READS,
  status: READS,
  whoami: READS,
  export: READS,
  backup: READS,
  restore: 'makes a database where there is none, which knows nothing of it yet',
  'events tail': READS,
  'webhooks listen': BY_API,
  import: BY_API,
  apply: BY_API,
  mcp: BY_API,
};

/** `watch add` and the like: each is one or a few requests. */
const REQUESTS = /^(watch|channel|calendar|client-page) /;

function findUndecided(program: Command): string[] {
  return commandNames(program).filter((name) => !(name in AUDITED) && !(name in UNAUDITED) && !REQUESTS.test(name));
}

describe('every command', () => {
  it('is listed in this test as leaving an audit record or as leaving none', async () => {
    expect(findUndecided(await createProgram())).toEqual([]);
    const program = await createProgram();
    program.commands.find((one) => one.name() === 'account')?.command('merge');
    expect(findUndecided(program)).toEqual(['account merge']);
    const known = commandNames(program);
    for (const name of [...Object.keys(AUDITED), ...Object.keys(UNAUDITED)]) expect(known).toContain(name);
  });

  it.each(Object.entries(AUDITED))(
    'leaves its audit record, with the actor type "cli": namewatch %s',
    async (name, { actions, words, before }) => {
      const { service } = commands;
      const account = await service.openAccount();
      const personId = name.startsWith('member ') ? await createFixture('per', service, account.key) : '';
      if (before) await namewatch(...before, account.id);
      const left = await auditRecordsOf(database, async () => {
        expect(await namewatch(...name.split(' '), ...words({ ...account, personId }))).toMatchObject({ code: 0 });
      });
      expect(left.map(({ action, actor_type }) => [action, actor_type])).toEqual(
        actions.map((action) => [action, 'cli']),
      );
    },
  );
});
