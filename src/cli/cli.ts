import { Command, CommanderError } from 'commander';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { DomainError } from '../kernel/domain-error.js';
import { RefusalError, StartupError } from '../process/startup-error.js';
import { apply } from './commands/apply.js';
import { account } from './commands/account.js';
import { member } from './commands/member.js';
import { audit } from './commands/audit.js';
import { backup, restore } from './commands/backup.js';
import { calendar } from './commands/calendar.js';
import { channel } from './commands/channel.js';
import { check } from './commands/check.js';
import { doctor } from './commands/doctor.js';
import { events } from './commands/events.js';
import { CommandError, EXIT } from './exit-codes.js';
import { extension } from './commands/extension.js';
import { explain } from './commands/explain.js';
import { exportCommand } from './commands/export.js';
import { importCommand } from './commands/import.js';
import { mcp } from './commands/mcp.js';
import { toPrintableLines } from './terminal.js';
import { key } from './commands/key.js';
import { version } from '../platform/outbound/user-agent.js';
import { migrate } from './commands/migrate.js';
import { secrets } from './commands/secrets.js';
import { status } from './commands/status.js';
import { up } from './commands/up.js';
import { variants } from './commands/variants.js';
import { watch } from './commands/watch.js';
import { webhooks } from './commands/webhooks.js';
import { whoami } from './commands/whoami.js';

/** One file each; a command loads what it needs when it runs, so that none waits for the modules of another. */
const COMMANDS = [
  up,
  migrate,
  backup,
  restore,
  account,
  member,
  key,
  audit,
  channel,
  check,
  watch,
  importCommand,
  exportCommand,
  calendar,
  apply,
  variants,
  events,
  mcp,
  explain,
  doctor,
  status,
  whoami,
  secrets,
  webhooks,
  extension,
];

/** Runs the command of these words (without the program's own name) and answers its exit code. */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return reportFailure(error);
  }
}

/** Every command. */
export function createProgram(): Command {
  const namewatch = new Command('namewatch')
    .description('Watches domain names and notifies you of changes.')
    .version(version)
    .configureHelp({ showGlobalOptions: true });
  for (const command of COMMANDS) namewatch.addCommand(command());
  throwInsteadOfExit(namewatch);
  return namewatch;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}

/** Explains on stderr why a command failed: a sentence for a user error, the stack for a defect. */
function reportFailure(error: unknown): number {
  // commander has printed its own message; help and version are no failures
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof InvalidConfigurationError) {
    error.problems.forEach((problem) => console.error(problem));
    return EXIT.configuration;
  }
  if (error instanceof CommandError || error instanceof StartupError) {
    if (error.message) console.error(toPrintableLines(error.message));
    if (error instanceof CommandError) return error.exitCode;
    return error instanceof RefusalError ? EXIT.refused : EXIT.failed;
  }
  if (error instanceof DomainError) {
    console.error(toPrintableLines(`${error.code}: ${error.message}`));
    return EXIT.refused;
  }
  console.error(error);
  return EXIT.failed;
}
