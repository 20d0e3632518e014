import { Command } from 'commander';
import type { Administration } from '../../auth/index.js';
import { administer, print } from '../run-admin-command.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { wholeNumber } from '../terminal/whole-number.js';

interface Create {
  readonly name: string;
  readonly plan?: string;
  readonly json?: boolean;
}

interface Change {
  readonly plan: string;
  readonly json?: boolean;
}

export function account(): Command {
  return new Command('account')
    .description('open, list, change, suspend and delete accounts')
    .addCommand(create())
    .addCommand(list())
    .addCommand(change())
    .addCommand(suspend())
    .addCommand(resume())
    .addCommand(remove());
}

function create(): Command {
  return new Command('create')
    .description('open an account; prints its first key, which may do everything, once')
    .requiredOption('--name <name>', 'what people call it')
    .option('--plan <plan>', 'its plan; PLAN_DEFAULT without it')
    .option('--json', 'one line of JSON')
    .action(async ({ name, plan, json }: Create) => {
      const opened = await administer((run) => run.openAccount(name, plan));
      const view = viewOf(opened.account);
      print(json, { account: view, key: opened.key.text }, [
        `Account ${view.id} (${view.plan})`,
        `Key     ${opened.key.text}`,
        'The key is shown this once.',
      ]);
    });
}

function change(): Command {
  return new Command('change')
    .description('put an account on another plan; it keeps what it has, looked at as often as the plan allows')
    .argument('<id>', 'acc_…')
    .requiredOption('--plan <plan>', 'its plan from now on')
    .option('--json', 'one line of JSON')
    .action(async (id: string, { plan, json }: Change) => {
      const view = viewOf(await administer((run) => run.changePlan(id, plan)));
      print(json, { account: view }, [`Account ${view.id} (${view.plan})`]);
    });
}

function list(): Command {
  return new Command('list')
    .description('list the accounts, oldest first')
    .option('--page <n>', 'which page', wholeNumber(1_000_000), 1)
    .option('--per-page <n>', 'how many on a page', wholeNumber(1_000), 100)
    .option('--json', 'one line of JSON')
    .action(async ({ page, perPage, json }: { page: number; perPage: number; json?: boolean }) => {
      const { accounts, total } = await administer((_, all) => all.list({ page, perPage }));
      const data = accounts.map(viewOf);
      const lines = data.map((view) => [view.id, view.plan, stateOf(view), view.name].join('  '));
      const more = total > page * perPage ? [`${total} accounts in all: --page ${page + 1} has more`] : [];
      print(
        json,
        { data, meta: { page, per_page: perPage, total } },
        lines.length > 0 ? [...lines, ...more] : ['none'],
      );
    });
}

function suspend(): Command {
  return new Command('suspend')
    .description('refuse the keys of an account, and pause its entries and deliveries, until it is resumed')
    .argument('<id>', 'acc_…')
    .option('--json', 'one line of JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const view = viewOf(await administer((_, accounts) => accounts.suspend(id)));
      print(json, { account: view }, [`Account ${view.id} is suspended.`]);
    });
}

function resume(): Command {
  return new Command('resume')
    .description('end the suspension of an account')
    .argument('<id>', 'acc_…')
    .option('--json', 'one line of JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const view = viewOf(await administer((_, accounts) => accounts.resume(id)));
      print(json, { account: view }, [`Account ${view.id} is active.`]);
    });
}

function remove(): Command {
  return new Command('delete')
    .description('delete an account and everything it has, for good')
    .argument('<id>', 'acc_…')
    .option('--yes', 'it is meant')
    .option('--json', 'one line of JSON')
    .action(async (id: string, { yes = false, json }: { yes?: boolean; json?: boolean }) => {
      if (!yes) throw new CommandFailed(EXIT.usage, `nothing was deleted: add --yes to delete ${id} for good`);
      const deleted = await administer((_, accounts) => accounts.delete(id));
      const parts = Object.entries(deleted).map(([part, count]) => `  ${part}: ${count}`);
      print(json, { id, deleted }, [`${id} is deleted, with its keys and`, ...parts]);
    });
}

type Account = Awaited<ReturnType<Administration['changePlan']>>;

function viewOf({ id, name, plan, createdAt, suspendedAt }: Pick<Account, Shown>) {
  const suspended_at = suspendedAt?.toISOString() ?? null;
  return { id, name, plan, created_at: createdAt.toISOString(), suspended_at };
}

type Shown = 'id' | 'name' | 'plan' | 'createdAt' | 'suspendedAt';

function stateOf({ suspended_at }: ReturnType<typeof viewOf>): string {
  return suspended_at === null ? 'active' : `suspended ${suspended_at}`;
}
