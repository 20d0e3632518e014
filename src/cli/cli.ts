import { Command, CommanderError } from 'commander';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { DomainError } from '../kernel/domain-error.js';
import { RefusalError, StartupError } from '../process/startup-error.js';
import { CommandError, EXIT } from './exit-codes.js';
import { toPrintableLines } from './terminal.js';
import { version } from '../platform/outbound/user-agent.js';

const ABOUT = {
  up: 'run the service in the role that ROLE names',
  migrate: 'bring the database up to this version, and do no more',
  backup: 'write the database and its keys to a folder, for any machine and any PostgreSQL, while the service runs',
  restore: 'put a backup into a DATA_DIR that has no database, or into the empty database of DATABASE_URL',
  account: 'open, list, change, suspend and delete accounts',
  member: 'list, invite, change and remove the people of an account',
  key: 'issue, list and revoke API keys',
  audit: 'show who did what, in all accounts and by the operator; the newest last',
  channel: 'add, list, change, test and remove notification channels, see what was sent to them, and send it again',
  check: 'say whether names can be registered; several are reported as their registries answer',
  watch: 'put names on the watchlist, list them, pause them, take them off; see what became of them',
  import: 'watch every name of a CSV or NDJSON file; exits with 5 when a line was refused',
  export: 'write the watchlist, or the entries that match, as CSV or NDJSON',
  calendar: 'make and revoke the address at which calendar programs read the dates of your names',
  'client-page': 'make, list and revoke pages on which clients see their names without an account',
  apply: 'make the entries of a tag equal to a YAML file',
  variants: 'list the names that people mistake for a name or type instead; asks no service and no registry',
  events: 'what happened to the names',
  mcp: 'serve the API as tools of the Model Context Protocol on stdin and stdout, for agents',
  explain: 'show why a name has its status: the servers queried, their answers, the rules applied',
  doctor: 'check the settings and everything the service depends on',
  status: 'show the processes, what waits, the last backup, the size of the database and registries that fail',
  whoami: 'show the account and the key or identity that commands use, and how much of its plan is used',
  secrets: 'stored secrets, which the master key protects',
  webhooks: 'develop a receiver of webhooks',
  extension: 'begin an extension',
};

/** Loads a command's modules only when it runs, so that other commands and `--help` do not wait for them. */
const LOAD: Readonly<Record<keyof typeof ABOUT, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.js')).up(),
  migrate: async () => (await import('./commands/migrate.js')).migrate(),
  backup: async () => (await import('./commands/backup.js')).backup(),
  restore: async () => (await import('./commands/backup.js')).restore(),
  account: async () => (await import('./commands/account.js')).account(),
  member: async () => (await import('./commands/member.js')).member(),
  key: async () => (await import('./commands/key.js')).key(),
  audit: async () => (await import('./commands/audit.js')).audit(),
  channel: async () => (await import('./commands/channel.js')).channel(),
  check: async () => (await import('./commands/check.js')).check(),
  watch: async () => (await import('./commands/watch.js')).watch(),
  import: async () => (await import('./commands/import.js')).importCommand(),
  export: async () => (await import('./commands/export.js')).exportCommand(),
  calendar: async () => (await import('./commands/calendar.js')).calendar(),
  'client-page': async () => (await import('./commands/client-page.js')).clientPage(),
  apply: async () => (await import('./commands/apply.js')).apply(),
  variants: async () => (await import('./commands/variants.js')).variants(),
  events: async () => (await import('./commands/events.js')).events(),
  mcp: async () => (await import('./commands/mcp.js')).mcp(),
  explain: async () => (await import('./commands/explain.js')).explain(),
  doctor: async () => (await import('./commands/doctor.js')).doctor(),
  status: async () => (await import('./commands/status.js')).status(),
  whoami: async () => (await import('./commands/whoami.js')).whoami(),
  secrets: async () => (await import('./commands/secrets.js')).secrets(),
  webhooks: async () => (await import('./commands/webhooks.js')).webhooks(),
  extension: async () => (await import('./commands/extension.js')).extension(),
};

/** Runs a command and returns its exit code. @param args the arguments without the program's own name */
export async function runCli(args: readonly string[]): Promise<number> {
  try {
    await (await createProgram(args)).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return reportFailure(error);
  }
}

/** @param words the command line, which names the commands to load; without words, loads all */
export async function createProgram(words?: readonly string[]): Promise<Command> {
  const namewatch = new Command('namewatch')
    .description('Watches domain names and notifies you of changes.')
    .version(version)
    .configureHelp({ showGlobalOptions: true });
  for (const [name, about] of Object.entries(ABOUT)) {
    const isNamed = words === undefined || words.includes(name);
    const command = isNamed ? await LOAD[name as keyof typeof ABOUT]() : new Command(name);
    namewatch.addCommand(command.description(about));
  }
  throwInsteadOfExit(namewatch);
  return namewatch;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}

/** Explains on stderr why a command failed: a sentence for a user error, the stack for a defect. */
function reportFailure(error: unknown): number {
  // commander has printed its message already; help and version are not failures
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
