import { Command } from 'commander';
import type { Administration } from '../auth/index.js';
import { administer, print } from './administer.js';

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
    .description('open accounts, and change their plans')
    .addCommand(create())
    .addCommand(change());
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

type Account = Awaited<ReturnType<Administration['changePlan']>>;

function viewOf({ id, name, plan, createdAt }: Account) {
  return { id, name, plan, created_at: createdAt.toISOString() };
}
