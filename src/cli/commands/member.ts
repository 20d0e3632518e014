import { Argument, Command, Option } from 'commander';
import type { Role } from '../../auth/index.js';
import { ROLES } from '../../auth/language.js';
import { accountOf, addPageOptions, type AdminPageOptions, printPage, runAdminCommand } from '../run-admin-command.js';
import { jsonCommand, parseMailAddress, print, toPrintable } from '../terminal.js';

interface Options {
  readonly account?: string;
  readonly json?: boolean;
}

/** Makes the commands for members. Unlike the API, these commands can also remove the last admin of an account. */
export function member(): Command {
  return new Command('member').addCommand(list()).addCommand(invite()).addCommand(role()).addCommand(remove());
}

const MAIL_TEXTS = {
  none: '',
  waiting: ', waits to be mailed',
  sent: ', mailed',
  failed: ', could not be mailed',
} as const;

function accountCommand(name: string, description: string): Command {
  return jsonCommand(name)
    .description(description)
    .option('--account <id>', 'which account; the only one unless given');
}

function list(): Command {
  return addPageOptions(accountCommand('list', 'list the people of an account, and who is invited')).action(
    async ({ account, ...options }: Options & AdminPageOptions) => {
      const { members, total, invitations } = await runAdminCommand(async (context) => {
        const accountId = await accountOf(context, account);
        const open = await context.members.openInvitations(accountId);
        return { ...(await context.members.list(accountId, options)), invitations: open };
      });
      const data = members.map(({ personId: id, name, email, role: held, addedBy: added_by }) => ({
        id,
        name,
        email,
        role: held,
        added_by,
      }));
      const invited = invitations.map(({ id, email, role: offered, expiresAt, mail }) => ({
        id,
        email,
        role: offered,
        expires_at: expiresAt.toISOString(),
        mail,
      }));
      const lines = [
        ...data.map((one) => [one.id, one.role, one.email ?? '–', toPrintable(one.name ?? '–')].join('  ')),
        ...invited.map((one) =>
          [one.id, one.role, one.email, `invited until ${one.expires_at}${MAIL_TEXTS[one.mail]}`].join('  '),
        ),
      ];
      printPage('members', options, { data, invitations: invited, total }, lines);
    },
  );
}

function invite(): Command {
  return accountCommand('invite', 'invite a person; prints the link, which works once, this once')
    .argument('<address>', 'the mail address that the provider has verified', parseMailAddress)
    .addOption(new Option('--role <role>', 'what the person may do').choices([...ROLES]).default('viewer'))
    .action(async (email: string, { account, role: offered, json }: Options & { readonly role: Role }) => {
      const { id, expiresAt, mail, link } = await runAdminCommand(async (context) => {
        const accountId = await accountOf(context, account);
        const made = await context.members.invite({ accountId, email, role: offered, invitedBy: 'cli' });
        return { ...made.invitation, link: context.invitationLink(made.token) };
      });
      const expires_at = expiresAt.toISOString();
      print(json, { id, email, role: offered, expires_at, mail, link }, [
        `Invitation ${id} for ${email}, ${offered}, until ${expires_at}`,
        `Link       ${link}`,
        'The link is shown this once.',
        ...(mail === 'waiting' ? ['The link is mailed, too.'] : []),
      ]);
    });
}

function role(): Command {
  return accountCommand('role', 'give a person another role')
    .argument('<id>', 'per_…')
    .addArgument(new Argument('<role>', 'what the person may do').choices([...ROLES]))
    .action(async (id: string, wanted: Role, { account, json }: Options) => {
      await runAdminCommand(async (context) =>
        context.members.changeRole(await accountOf(context, account), id, wanted, 'by the operator'),
      );
      print(json, { id, role: wanted }, [`${id} is ${wanted === 'viewer' ? 'a' : 'an'} ${wanted}.`]);
    });
}

function remove(): Command {
  return accountCommand('remove', 'take a person out of an account, or an invitation back')
    .argument('<id>', 'per_… or inv_…')
    .action(async (id: string, { account, json }: Options) => {
      await runAdminCommand(async (context) => {
        const accountId = await accountOf(context, account);
        if (id.startsWith('inv_')) await context.members.revokeInvitation(id, accountId);
        else await context.members.remove(accountId, id, 'by the operator');
      });
      print(json, { id, removed: true }, [`${id} is removed.`]);
    });
}
