import { Command } from 'commander';
import type { AccountLifecycle } from '../../auth/index.js';
import { accountOf, addPageOptions, type AdminPageOptions, printPage, runAdminCommand } from '../run-admin-command.js';
import { jsonCommand, print, toPrintable, parseMailAddress, parseName } from '../terminal.js';
import { CommandError, EXIT } from '../exit-codes.js';

const ACCOUNT = 'acc_…; the only account unless given';
const BY_ARGUMENT = 'by its id';

export function account(): Command {
  return new Command('account')
    .addCommand(create())
    .addCommand(list())
    .addCommand(change())
    .addCommand(suspend())
    .addCommand(resume())
    .addCommand(remove());
}

interface CreateOptions {
  readonly name: string;
  readonly plan?: string;
  readonly invite?: string;
  readonly json?: boolean;
}

function create(): Command {
  return jsonCommand('create')
    .description('open an account; prints its first key, which may do everything, once')
    .requiredOption('--name <name>', 'what people call it', parseName)
    .option('--plan <plan>', 'its plan; PLAN_DEFAULT without it')
    .option('--invite <address>', 'invite who has this mail address to administer it', parseMailAddress)
    .action(async ({ name, plan, invite, json }: CreateOptions) => {
      const { account, key, invitation, link } = await runAdminCommand(async ({ admin, invitationLink }) => {
        const opened = await admin.openAccount({ name, plan, invite });
        return { ...opened, link: opened.invitation && invitationLink(opened.invitation.token) };
      });
      const [view, mail] = [toView(account), invitation?.invitation.mail];
      print(json, { account: view, key: key.text, ...(link === null ? {} : { link, mail }) }, [
        `Account ${view.id} (${view.plan})`,
        `Key     ${key.text}`,
        ...(link === null
          ? []
          : [`Link    ${link} (for ${invite ?? ''}, once, until ${invitation?.invitation.expiresAt.toISOString()})`]),
        link === null ? 'The key is shown this once.' : 'The key and the link are shown this once.',
        ...(mail === 'waiting' ? ['The link is mailed, too.'] : []),
      ]);
    });
}

function change(): Command {
  return jsonCommand('change')
    .description('move an account to another plan; it keeps its entries, checked as often as the plan allows')
    .argument('[id]', ACCOUNT)
    .requiredOption('--plan <plan>', 'its plan from now on')
    .action(async (id: string | undefined, { plan, json }: { plan: string; json?: boolean }) => {
      const changed = runAdminCommand(async (context) =>
        context.admin.changePlan(await accountOf(context, id, BY_ARGUMENT), plan),
      );
      const view = toView(await changed);
      print(json, { account: view }, [`Account ${view.id} (${view.plan})`]);
    });
}

function list(): Command {
  return addPageOptions(jsonCommand('list'))
    .description('list the accounts, oldest first')
    .action(async (options: AdminPageOptions) => {
      const { accounts: found, total } = await runAdminCommand(({ accounts }) => accounts.list(options));
      const data = found.map(toView);
      const lines = data.map((view) => [view.id, view.plan, toStateText(view), toPrintable(view.name)].join('  '));
      printPage('accounts', options, { data, total }, lines);
    });
}

function suspend(): Command {
  return jsonCommand('suspend')
    .description('refuse the keys of an account, and pause its entries and deliveries, until it is resumed')
    .argument('<id>', 'acc_…')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const view = toView(await runAdminCommand(({ accounts }) => accounts.suspend(id)));
      print(json, { account: view }, [`Account ${view.id} is suspended.`]);
    });
}

function resume(): Command {
  return jsonCommand('resume')
    .description('end the suspension of an account')
    .argument('[id]', ACCOUNT)
    .action(async (id: string | undefined, { json }: { json?: boolean }) => {
      const changed = runAdminCommand(async (context) =>
        context.accounts.resume(await accountOf(context, id, BY_ARGUMENT)),
      );
      const view = toView(await changed);
      print(json, { account: view }, [`Account ${view.id} is active.`]);
    });
}

function remove(): Command {
  return jsonCommand('delete')
    .description('delete an account and everything it has, for good')
    .argument('<id>', 'acc_…')
    .option('--yes', 'it is meant')
    .action(async (id: string, { yes = false, json }: { yes?: boolean; json?: boolean }) => {
      if (!yes) throw new CommandError(EXIT.usage, `nothing was deleted: add --yes to delete ${id} for good`);
      const deleted = await runAdminCommand(({ accounts }) => accounts.delete(id));
      const parts = Object.entries(deleted).map(([part, count]) => `  ${part}: ${count}`);
      print(json, { id, deleted }, [`${id} is deleted, with its keys and`, ...parts]);
    });
}

type ListedAccount = Awaited<ReturnType<AccountLifecycle['list']>>['accounts'][number];

function toView({ id, name, plan, createdAt, suspendedAt }: ListedAccount) {
  const suspended_at = suspendedAt?.toISOString() ?? null;
  return { id, name, plan, created_at: createdAt.toISOString(), suspended_at };
}

function toStateText({ suspended_at }: ReturnType<typeof toView>): string {
  return suspended_at === null ? 'active' : `suspended ${suspended_at}`;
}
