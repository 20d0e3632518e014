import { Command } from 'commander';
import { administer, print } from './administer.js';

interface Options {
  readonly name: string;
  readonly plan?: string;
  readonly json?: boolean;
}

export function account(): Command {
  const create = new Command('create')
    .description('open an account; prints its first key, which may do everything, once')
    .requiredOption('--name <name>', 'what people call it')
    .option('--plan <plan>', 'its plan; PLAN_DEFAULT without it')
    .option('--json', 'one line of JSON')
    .action(async ({ name, plan, json }: Options) => {
      const opened = await administer((run) => run.openAccount(name, plan));
      const { id, createdAt } = opened.account;
      const view = { id, name, plan: opened.account.plan, created_at: createdAt.toISOString() };
      print(json, { account: view, key: opened.key.text }, [
        `Account ${id} (${view.plan})`,
        `Key     ${opened.key.text}`,
        'The key is shown this once.',
      ]);
    });
  return new Command('account').description('open accounts').addCommand(create);
}
