import type { AdminContext } from '../../app/admin.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { toPrintable } from '../terminal/printable.js';

const MAX_LISTED = 20;

/**
 * The account that a command is about: the given one, else the only one.
 * @param how to name one, such as `with --account`
 * @throws CommandError that lists the accounts when there are several
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
