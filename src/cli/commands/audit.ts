import { type Command, InvalidArgumentError } from 'commander';
import type { AuditRecord } from '../../auth/index.js';
import { isAuditActionFilter, joinRuns, toAuditRecordView } from '../../auth/language.js';
import { runAdminCommand } from '../run-admin-command.js';
import { jsonCommand, print, toPrintable, parseDate, parseWholeNumber } from '../terminal.js';

interface AuditOptions {
  readonly account: string | null;
  readonly action?: string;
  readonly actor?: string;
  readonly target?: string;
  readonly request?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

export function audit(): Command {
  return jsonCommand('audit')
    .option('--account <id>', 'only of this account', (id) => id, null)
    .option('--action <action>', 'only this action, such as key.issued, or all that begin like "key.*"', parseAction)
    .option('--actor <actor>', 'only by this key, subject or type of actors')
    .option('--target <id>', 'only what was done to this, such as an entry of the watchlist')
    .option('--request <id>', 'only what this request did')
    .option('--since <date>', 'from then on, such as 2027-01-31', parseDate)
    .option('--until <date>', 'before then', parseDate)
    .option('--limit <n>', 'at most so many of the newest', parseWholeNumber(10_000), 100)
    .action(async ({ account, limit, json, ...filter }: AuditOptions) => {
      const newest = await runAdminCommand(async ({ admin, audit: trail }) => {
        if (account !== null) await admin.assertAccount(account);
        return trail.latest(account, limit, filter);
      });
      const oldestFirst = newest.toReversed();
      const lines = joinRuns(oldestFirst).map((record) => toLine(toView(record)));
      print(json, { data: oldestFirst.map(toView) }, lines.length > 0 ? lines : ['no records']);
    });
}

function toView(record: AuditRecord) {
  return { ...toAuditRecordView(record), account_id: record.accountId };
}

function toLine(view: ReturnType<typeof toView>): string {
  const { type, id, name } = view.actor;
  const actor = [type, id, name === null ? null : `(${name})`].filter((part) => part !== null).join(' ');
  const change = [view.before, view.after].map((state) => (state === null ? '-' : JSON.stringify(state)));
  const target = view.target_id ?? '-';
  const cells = [view.occurred_at, view.action, target, 'by', actor, 'from', view.address ?? '-', change.join(' → ')];
  return toPrintable(cells.join('  '));
}

/** Refuses an unknown action, as the API does. For a misspelled action, the result "no records" would mislead. */
function parseAction(text: string): string {
  if (isAuditActionFilter(text)) return text;
  throw new InvalidArgumentError('not an action of the audit trail, such as key.issued, or all that begin like key.*');
}
