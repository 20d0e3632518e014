import type { Command } from 'commander';
import { userInfo } from 'node:os';
import type { Extensions } from '../extensions/extensions.js';
import { readInstallation } from '../extensions/load-extensions.js';
import { DomainError } from '../kernel/domain-error.js';
import { explainDatabaseErrors } from '../process/explain-database-errors.js';
import { type OpenDatabase, openDatabase } from '../process/open-database.js';
import type { AdminContext } from '../app/admin.js';
import { CommandError, EXIT } from './exit-codes.js';
import { logToStderr, parseWholeNumber, print, toPrintable } from './terminal.js';

/** Opens the database directly, even while the service runs. Explains in one sentence why a database is unusable. */
export async function withDatabase<Result>(
  work: (database: OpenDatabase, extensions: Extensions) => Promise<Result>,
): Promise<Result> {
  const { config, extensions } = await readInstallation();
  await logToStderr();
  const database = await openDatabase(config);
  try {
    return await explainDatabaseErrors(config, () => work(database, extensions));
  } finally {
    await database.close();
  }
}

/** Runs an administration command. A refusal becomes an error with a fitting exit code. */
export async function runAdminCommand<Result>(work: (context: AdminContext) => Promise<Result>): Promise<Result> {
  try {
    return await withDatabase(async ({ config }, extensions) => {
      const { openAdminContext } = await import('../app/admin.js');
      const context = await openAdminContext(config, extensions, findUserName());
      try {
        return await work(context); // awaited here, so that the context closes afterwards
      } finally {
        await context.close();
      }
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new CommandError(error.code === 'not_found' ? EXIT.notFound : EXIT.refused, error.message);
  }
}

/** Returns the operating system's name of the user. Returns null if the user has no name, as often in containers. */
function findUserName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

const MAX_LISTED = 20;

/**
 * Returns the given account, or else the only account.
 * @throws CommandError if no account is given, and none or several exist
 */
export async function accountOf(
  { accounts }: Pick<AdminContext, 'accounts'>,
  given: string | undefined,
  how = 'with --account',
): Promise<string> {
  if (given !== undefined) return given;
  const { accounts: listed, total } = await accounts.list({ page: 1, perPage: MAX_LISTED });
  const [only] = listed;
  if (!only) throw new CommandError(EXIT.usage, 'there is no account yet: "namewatch account create" opens one');
  if (total === 1) return only.id;
  const lines = listed.map(({ id, name }) => `  ${id}  ${toPrintable(name)}`);
  const more = total > listed.length ? [`  and ${total - listed.length} more: "namewatch account list"`] : [];
  throw new CommandError(EXIT.usage, [`there are ${total} accounts, name one ${how}:`, ...lines, ...more].join('\n'));
}

export interface AdminPageOptions {
  readonly page: number;
  readonly perPage: number;
  readonly json?: boolean;
}

export function addPageOptions(command: Command): Command {
  return command
    .option('--page <n>', 'which page', parseWholeNumber(1_000_000), 1)
    .option('--per-page <n>', 'how many on a page', parseWholeNumber(1_000), 100);
}

/**
 * Prints one page of a list.
 * @param what the plural of the things in the list, such as `keys`
 */
export function printPage(
  what: string,
  { page, perPage, json }: AdminPageOptions,
  { total, ...shown }: { readonly total: number; readonly data: readonly unknown[]; readonly [more: string]: unknown },
  lines: readonly string[],
): void {
  const more = total > page * perPage ? [`${total} ${what} in all: --page ${page + 1} has more`] : [];
  const meta = { page, per_page: perPage, total };
  print(json, { ...shown, meta }, lines.length > 0 ? [...lines, ...more] : [`no ${what}`]);
}
