import type { Command } from 'commander';
import { type Config, readConfig } from '../../config/config.js';
import { readInstallation } from '../../extensions/load-extensions.js';
import type { Manifest } from '../../process/backup/manifest.js';
import { DataDirectory } from '../../process/data-directory.js';
import { explainDatabaseErrors } from '../../process/explain-database-errors.js';
import { openDatabase } from '../../process/open-database.js';
import { createStopSignal } from '../../process/shutdown.js';
import { CommandError, EXIT } from '../exit-codes.js';
import {
  jsonCommand,
  createStepProgress,
  formatBytes,
  logToStderr,
  parseWholeNumber,
  pluralize,
  print,
  quoteForShell,
  type StepProgress,
} from '../terminal.js';

interface BackupOptions {
  readonly json?: boolean;
  readonly keep?: number;
  readonly verify?: boolean;
}

interface RestoreOptions {
  readonly json?: boolean;
  readonly withoutExtensions?: boolean;
}

export function backup(): Command {
  return jsonCommand('backup')
    .argument('<folder>', 'is made; may be there if it is empty')
    .option(
      '--keep <number>',
      'make a dated backup in the folder, and remove older ones but so many',
      parseWholeNumber(),
    )
    .option('--verify', 'read all of the backup in the folder instead, and name what is not as it was written')
    .action(async (folder: string, { json, keep, verify }: BackupOptions) => {
      if (verify && keep !== undefined) throw new CommandError(EXIT.usage, '--verify makes no backup: without --keep');
      if (verify) return verifyAndPrint(folder, json);
      const config = readConfig();
      const { nameDatedBackup, removeOlderBackups } = await import('../../process/backup/dated-backups.js');
      assertHasData(config);
      const target = keep === undefined ? folder : nameDatedBackup(folder, new Date());
      const manifest = await stoppable('nothing is left of the backup', (signal, progress) =>
        take(config, target, signal, progress),
      );
      const removed = keep === undefined ? [] : removeOlderBackups(folder, keep);
      print(json, { folder: target, ...summary(manifest), removed }, [
        `Backup in ${target}, ${formatBytes(manifest.bytes)}: ${describeContent(manifest)}.`,
        manifest.holds_master_key
          ? 'It holds the master key: protect it like the database itself.'
          : 'It does not hold the master key: keep MASTER_KEY apart from it. Without that webhook secrets are lost.',
        ...(removed.length > 0 ? [`Removed: ${removed.join(', ')}.`] : []),
        `"namewatch restore ${quoteForShell(target)}" puts it into an empty DATA_DIR or DATABASE_URL.`,
      ]);
    });
}

export function restore(): Command {
  return jsonCommand('restore')
    .argument('<folder>', 'that "namewatch backup" made; it stays as it is')
    .option('--without-extensions', 'leave out the tables of extensions that are not installed here')
    .action(async (folder: string, { json, withoutExtensions = false }: RestoreOptions) => {
      const { config, extensions } = await readInstallation();
      const manifest = await stoppable('nothing was restored', async (signal, progress) => {
        await logToStderr();
        const { restoreBackup } = await import('../../process/backup/restore-backup.js');
        const options = { folder, config, extensions, withoutExtensions, signal, report: progress.show };
        return explainDatabaseErrors(config, () => restoreBackup(options));
      });
      const where = config.databaseUrl === null ? config.dataDir : 'the database of DATABASE_URL';
      const settings = config.databaseUrl === null ? `DATA_DIR=${quoteForShell(config.dataDir)} ` : '';
      print(json, summary(manifest), [
        `Restored to ${where}: ${describeContent(manifest)}.`,
        'Next, look at it, without sending what was pending then:',
        `  SENDING=off ${settings}npx namewatch up`,
        'Then stop the original for good, and start this one without SENDING=off.',
        ...(manifest.holds_master_key ? [] : ['Its secrets need the MASTER_KEY that the service had: set it.']),
      ]);
    });
}

async function verifyAndPrint(folder: string, json: boolean | undefined): Promise<void> {
  const { verifyBackup } = await import('../../process/backup/verify-backup.js');
  const manifest = await stoppable('not all files were read', (signal, progress) =>
    verifyBackup(folder, { signal, report: progress.show }),
  );
  print(json, summary(manifest), [`${folder} is whole: ${describeContent(manifest)}.`]);
}

function assertHasData({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl !== null || DataDirectory.at(dataDir).hasCluster) return;
  const { path } = DataDirectory.at(dataDir);
  throw new CommandError(EXIT.notFound, `no data in ${path}: wrong folder, or not started yet`);
}

async function take(config: Config, folder: string, signal: AbortSignal, progress: StepProgress): Promise<Manifest> {
  await logToStderr();
  const { takeBackup } = await import('../../process/backup/take-backup.js');
  const { checkMasterKeys } = await import('../../platform/diagnostics.js');
  const database = await openDatabase(config);
  const url = database.config.migrationDatabaseUrl ?? database.url;
  const directory = config.databaseUrl === null ? DataDirectory.at(config.dataDir) : null;
  const hasMasterKey = async () => {
    const key = directory?.existingMasterKey() ?? null;
    return key !== null && (await checkMasterKeys(url, [key])).ok;
  };
  const options = { url, folder, dataDir: directory?.path ?? null, signal, report: progress.show, hasMasterKey };
  try {
    const manifest = await explainDatabaseErrors(config, () => takeBackup(options));
    await noteBackup(url, manifest);
    return manifest;
  } finally {
    await database.close();
  }
}

/** Stores the backup's time and size for a metric. A failure is only a warning, because the backup is complete. */
async function noteBackup(url: string, { taken_at, bytes }: Manifest): Promise<void> {
  const { askIn, withSession } = await import('../../platform/database/session.js');
  const { noteBackup: note } = await import('../../platform/processes/last-backup.js');
  await withSession(url, (session) => note(askIn(session), { takenAt: new Date(taken_at), bytes })).catch(
    (error: Error) => console.error(`the database does not know of this backup: ${error.message}`),
  );
}

/** Runs work that Ctrl-C or another signal can stop. Shows its progress on a terminal. */
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

/** Returns the manifest for the JSON output, without details that only a restore needs. */
function summary({ tables, keys, sequences: _sequences, ...facts }: Manifest) {
  const rows = Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, table.rows]));
  return { ...facts, keys: keys.map(({ path }) => path), tables: rows };
}

function describeContent({ taken_at, tables, last_event }: Manifest): string {
  const entries = pluralize(tables['watch_entries']?.rows ?? 0, 'entry', 'entries');
  const last = last_event === null ? 'no event' : `the last event ${last_event.id} of ${last_event.created_at}`;
  return `all that was acknowledged until ${taken_at}, with ${entries} and ${last}`;
}
