import { Command, CommanderError } from 'commander';
import { InvalidConfiguration } from '../config.js';
import { CannotStart } from '../process/cannot-start.js';
import { account } from './account.js';
import { channel } from './channel.js';
import { check } from './check.js';
import { doctor } from './doctor.js';
import { events } from './events.js';
import { CommandFailed, EXIT } from './exit-codes.js';
import { explain as explainName } from './explain.js';
import { exportFile } from './export-file.js';
import { importFile } from './import-file.js';
import { key } from './key.js';
import { version } from '../version.js';
import { migrate } from './migrate.js';
import { secrets } from './secrets.js';
import { up } from './up.js';
import { watch } from './watch.js';
import { webhooks } from './webhooks.js';
import { whoami } from './whoami.js';

/** One file each; a command loads what it needs when it runs, so that none waits for the modules of another. */
const COMMANDS = [
  up,
  migrate,
  account,
  key,
  channel,
  check,
  watch,
  importFile,
  exportFile,
  events,
  explainName,
  doctor,
  whoami,
  secrets,
  webhooks,
];

/** Runs the command of these words (without the program's own name) and answers its exit code. */
export async function run(words: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(words, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return explain(error);
  }
}

function program(): Command {
  const namewatch = new Command('namewatch')
    .description('Watches domain names and tells you when one changes.')
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

/** Says on stderr why a command ended early: sentences for what people can mend, the stack for what we must. */
function explain(error: unknown): number {
  // Commander has said its piece itself; help and version are no failures.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof InvalidConfiguration) {
    error.problems.forEach((problem) => console.error(problem));
    return EXIT.configuration;
  }
  if (error instanceof CommandFailed || error instanceof CannotStart) {
    if (error.message) console.error(error.message);
    return error instanceof CommandFailed ? error.exitCode : EXIT.failed;
  }
  console.error(error);
  return EXIT.failed;
}
