import { Command, InvalidArgumentError, Option } from 'commander';
import type { ApiKeyView } from '../../auth/index.js';
import { isPossibleScope, type Scope, SCOPES } from '../../auth/language.js';
import { accountOf, addPageOptions, type AdminPageOptions, printPage, runAdminCommand } from '../run-admin-command.js';
import { jsonCommand, print, toPrintable, parseDate, parseName } from '../terminal.js';

interface CreateOptions {
  readonly account?: string;
  readonly name: string;
  readonly scope?: readonly Scope[];
  readonly expires?: Date;
  readonly json?: boolean;
}

interface ListOptions extends AdminPageOptions {
  readonly account?: string;
  readonly all?: boolean;
}

export function key(): Command {
  return new Command('key').addCommand(create()).addCommand(list()).addCommand(revoke()).addCommand(generate());
}

function create(): Command {
  return jsonCommand('create')
    .description('issue a key; it is shown once')
    .option('--account <id>', 'whose key it is; the only account unless given')
    .requiredOption('--name <name>', 'what it is for', parseName)
    .addOption(
      new Option(
        '--scope <scope...>',
        `what it may do, of ${SCOPES.join(', ')} and those of extensions; without it, all that reads but audit:read`,
      ).argParser(addScope),
    )
    .option('--expires <date>', 'until when it works, such as 2027-01-31', parseFutureDate)
    .action(async ({ account, name, scope, expires, json }: CreateOptions) => {
      const request = { name, scopes: scope ?? null, expiresAt: expires ?? null, issuedBy: 'cli' };
      const { key: text, issued } = await runAdminCommand(async (context) =>
        context.admin.issueKey({ ...request, accountId: await accountOf(context, account) }),
      );
      print(json, { ...toView(issued), key: text.text }, [
        `Key ${text.text}`,
        `Id  ${issued.id}`,
        'It is shown this once.',
      ]);
    });
}

/** Checks only the form of a scope. The extensions, which may declare scopes, are loaded later. */
function addScope(text: string, earlier: readonly Scope[] | undefined): readonly Scope[] {
  if (!isPossibleScope(text)) throw new InvalidArgumentError(`Allowed choices are ${SCOPES.join(', ')}.`);
  return [...(earlier ?? []), text];
}

function list(): Command {
  return addPageOptions(jsonCommand('list'))
    .description("list an account's keys that are not revoked, without their texts")
    .option('--account <id>', 'whose keys; the only account unless given')
    .option('--all', 'also those that were revoked in the last 30 days')
    .action(async ({ account, all = false, ...options }: ListOptions) => {
      const found = await runAdminCommand(async (context) =>
        context.admin.listKeys(await accountOf(context, account), { ...options, withRevoked: all }),
      );
      const data = found.keys.map(toView);
      const lines = data.map((key) =>
        [
          key.id,
          toPrintable(key.name),
          key.scopes.join(','),
          toStateText(key),
          `issued by ${key.issued_by ?? '?'}`,
        ].join('  '),
      );
      printPage('keys', options, { data, total: found.total }, lines);
    });
}

function revoke(): Command {
  return jsonCommand('revoke')
    .description('take a key back; every process refuses it within a second')
    .argument('<id>', 'key_…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await runAdminCommand(({ admin }) => admin.revoke(id));
      print(json, { id, revoked: true }, [`${id} is revoked.`]);
    });
}

function generate(): Command {
  return jsonCommand('generate')
    .description('make a key text offline, for BOOTSTRAP_API_KEY')
    .action(async ({ json }: { json?: boolean }) => {
      const { generateApiKey } = await import('../../auth/index.js');
      const { id, text } = generateApiKey();
      print(json, { id, key: text }, [text]);
    });
}

function toView(issued: ApiKeyView) {
  return {
    id: issued.id,
    name: issued.name,
    scopes: issued.scopes,
    expires_at: issued.expiresAt?.toISOString() ?? null,
    created_at: issued.createdAt.toISOString(),
    last_used_at: issued.lastUsedAt?.toISOString() ?? null,
    revoked_at: issued.revokedAt?.toISOString() ?? null,
    issued_by: issued.issuedBy,
  };
}

function toStateText({ revoked_at, expires_at }: ReturnType<typeof toView>): string {
  if (revoked_at !== null) return `revoked ${revoked_at}`;
  return expires_at !== null && new Date(expires_at) <= new Date() ? `expired ${expires_at}` : 'live';
}

function parseFutureDate(text: string): Date {
  const date = parseDate(text);
  if (date.getTime() <= Date.now()) throw new InvalidArgumentError('in the past');
  return date;
}
