import { Command } from 'commander';
import { type Config, readConfig } from '../../config/config.js';
import type { Manifest } from '../../process/backup/manifest.js';
import { DataDirectory } from '../../process/data-directory.js';
import { openDatabase } from '../../process/open-database.js';
import { createStopSignal } from '../../process/shutdown.js';
import { yieldToOtherProcesses } from '../../process/start-process.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { checkStoredSecrets } from '../stored-secrets.js';
import {
  createStepProgress,
  formatBytes,
  logToStderr,
  pluralize,
  print,
  quoteForShell,
  type StepProgress,
} from '../terminal.js';

interface Options {
  readonly json?: boolean;
}

export function backup(): Command {
  return new Command('backup')
    .description(
      'copy the embedded database and its keys while the service runs; the copy is tried before it is called one',
    )
    .argument('<folder>', 'is made; may be there if it is empty')
    .option('--json', 'one line of JSON')
    .action(async (folder: string, { json }: Options) => {
      const config = readEmbeddedConfig(dumpCommand);
      const directory = DataDirectory.at(config.dataDir);
      if (!directory.hasCluster)
        throw new CommandError(EXIT.notFound, `no data in ${directory.path}: wrong folder, or not started yet`);
      const manifest = await stoppable('nothing is left of the backup', async (signal, progress) => {
        yieldToOtherProcesses(config.workerNiceness);
        await logToStderr();
        const { takeBackup } = await import('../../process/backup/take-backup.js');
        const database = await openDatabase(config);
        const url = database.config.migrationDatabaseUrl ?? database.url;
        const hasMasterKey = async (copy: string) => {
          const key = directory.existingMasterKey();
          return key !== null && (await checkStoredSecrets(copy, [key])).ok;
        };
        try {
          return await takeBackup({ directory, url, folder, signal, report: progress.show, hasMasterKey });
        } finally {
          await database.close();
        }
      });
      print(json, summary(manifest), [
        `Backup in ${folder}, ${formatBytes(manifest.bytes)}: ${describeContent(manifest)}.`,
        'PostgreSQL was started on it, and every row was read.',
        manifest.holds_master_key
          ? `It holds the master key: protect it like ${directory.path}.`
          : 'It does not hold the master key: keep MASTER_KEY apart from it. Without that webhook secrets are lost.',
        `"namewatch restore ${quoteForShell(folder)}" puts it into a DATA_DIR without a database.`,
      ]);
    });
}

export function restore(): Command {
  return new Command('restore')
    .description('put a backup into a DATA_DIR that has no database')
    .argument('<folder>', 'that "namewatch backup" made; it stays as it is')
    .option('--json', 'one line of JSON')
    .action(async (folder: string, { json }: Options) => {
      const { dataDir } = readEmbeddedConfig(restoreCommand);
      const manifest = await stoppable('no database was restored', async (signal, progress) => {
        const { restoreBackup } = await import('../../process/backup/restore-backup.js');
        return restoreBackup({ folder, dataDir, signal, report: progress.show });
      });
      print(json, summary(manifest), [
        `Restored to ${dataDir}: ${describeContent(manifest)}.`,
        'Look at it first, without sending what was pending then:',
        `  SENDING=off DATA_DIR=${quoteForShell(dataDir)} npx namewatch up`,
        'Then stop the original for good, and start this one without SENDING=off.',
        ...(manifest.holds_master_key ? [] : ['Its secrets need the MASTER_KEY that the service had: set it.']),
      ]);
    });
}

/** @throws CommandError with the command that does it for a database of one's own */
function readEmbeddedConfig(toCommand: (connection: string) => string): Config {
  const config = readConfig();
  if (config.databaseUrl === null) return config;
  const own = 'DATABASE_URL names a PostgreSQL of your own';
  throw new CommandError(
    EXIT.refused,
    `${own}: ${toCommand(connectionOptions(config.migrationDatabaseUrl ?? config.databaseUrl))}`,
  );
}

function dumpCommand(connection: string): string {
  const command = `pg_dump --format=custom --no-owner --no-privileges --file=namewatch.dump ${connection}`;
  return `"${command}" backs it up while it runs, pg_basebackup its whole server. Keep MASTER_KEY apart from the dump`;
}

function restoreCommand(connection: string): string {
  const command = `pg_restore --no-owner --no-privileges --exit-on-error ${connection} namewatch.dump`;
  return `"${command}" loads a dump into it while it is empty`;
}

/** The password is left to ~/.pgpass: a command line is read by others. */
function connectionOptions(url: string): string {
  const { hostname, port, username, pathname, searchParams } = new URL(url);
  const options = {
    host: searchParams.get('host') ?? hostname,
    port,
    username: decodeURIComponent(username),
    dbname: decodeURIComponent(pathname.slice(1)),
  };
  return Object.entries(options)
    .flatMap(([name, value]) => (value === '' ? [] : [`--${name}=${quoteForShell(value)}`]))
    .join(' ');
}

/** Runs work that a signal ends in good order, with its progress on a terminal. */
async function stoppable<Result>(
  outcome: string,
  work: (signal: AbortSignal, progress: StepProgress) => Promise<Result>,
): Promise<Result> {
  const signal = createStopSignal();
  const progress = await createStepProgress();
  try {
    return await work(signal, progress);
  } catch (error) {
    if (signal.aborted) throw new CommandError(EXIT.failed, `stopped: ${outcome}`);
    throw error;
  } finally {
    progress.end();
  }
}

function summary({ folders, files, ...facts }: Manifest) {
  return { ...facts, files: files.length, folders: folders.length };
}

function describeContent({ taken_at, tables, last_event }: Manifest): string {
  const entries = pluralize(tables['watch_entries'] ?? 0, 'entry', 'entries');
  const last = last_event === null ? 'no event' : `the last event ${last_event.id} of ${last_event.created_at}`;
  return `all that was acknowledged until ${taken_at}, with ${entries} and ${last}`;
}
