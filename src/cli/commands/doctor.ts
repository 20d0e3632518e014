import type { Command } from 'commander';
import { type Config, readConfig } from '../../config/config.js';
import { InvalidConfigurationError } from '../../config/invalid-configuration.error.js';
import { describeSettings } from '../../extensions/extension-settings.js';
import type { Extensions } from '../../extensions/extensions.js';
import { loadExtensions, readInstallation } from '../../extensions/load-extensions.js';
import { SystemClock } from '../../kernel/clock.js';
import type { DiagnosticResult } from '../../platform/diagnostics.js';
import { DataDirectory } from '../../process/data-directory.js';
import { findRunningService } from '../../process/directory-lock.js';
import { type OpenDatabase, openDatabase } from '../../process/open-database.js';
import { jsonCommand, print, logToStderr } from '../terminal.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { askRegistries, type RegistryOptions } from './doctor-registries.js';

interface Options extends RegistryOptions {
  readonly registries?: boolean;
}

export function doctor(): Command {
  return jsonCommand('doctor')
    .option('--registries', 'ask the registries instead about names whose answers are known, which takes half an hour')
    .option('--tlds <list>', 'with --registries, those of these TLDs only, comma-separated: com,uk')
    .option('--out <file>', 'with --registries, the new file for their answers, without personal data')
    .action(async ({ json, registries, ...options }: Options) => {
      await logToStderr();
      if (registries) return askRegistries(await readConfigOrSayAll(), { json, ...options });
      const [misplaced] = Object.keys(options);
      if (misplaced !== undefined) throw new CommandError(EXIT.usage, `--${misplaced} needs --registries`);
      const findings = await runChecks(await readConfigOrSayAll());
      const lines = findings.map(({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(10)}  ${detail}`);
      print(json, { ok: findings.every(({ ok }) => ok), findings }, lines);
      if (findings.some(({ ok }) => !ok)) throw new CommandError(EXIT.failed, '');
    });
}

/** Reads the settings. If some are invalid, loads the extensions too, so that the error names all problems at once. */
async function readConfigOrSayAll(): Promise<Config> {
  try {
    return readConfig();
  } catch {
    return (await readInstallation()).config;
  }
}

async function runChecks(config: Config): Promise<DiagnosticResult[]> {
  const settings = { check: 'settings', ok: true, detail: summary(config) };
  const { checkMail, checkQueue, checkRegistries } = await import('../../platform/diagnostics.js');
  const folder = await checkDataDirectory(config);
  const dependencies = [checkQueue(config), checkRegistries(config), checkMail(config, folder.mailRelay)];
  if (config.openId !== null) dependencies.push(checkSignIn(config));
  const { extensions, findings } = await checkExtensions(config);
  const stored = folder.hasDatabase ? await checkDatabaseAndStart(config, extensions) : [];
  const sources = extensions === null ? [] : await checkLookupSources(config, extensions);
  return [settings, ...findings, ...folder.findings, ...stored, ...(await Promise.all(dependencies)), ...sources];
}

/** Reports whether the sign-in provider answers, and which URLs must be registered at the provider. */
async function checkSignIn({ openId, publicUrl }: Config): Promise<DiagnosticResult> {
  const { runCheck } = await import('../../platform/diagnostics.js');
  const { IdentityProvider } = await import('../../auth/index.js');
  return runCheck('sign-in', async () => {
    if (openId === null || publicUrl === null) return 'by key only';
    return new IdentityProvider(openId, publicUrl, new SystemClock()).check();
  });
}

/** Loads and describes the extensions. If some are wrong, `extensions` is null and `findings` names each problem. */
async function checkExtensions(
  config: Config,
): Promise<{ extensions: Extensions | null; findings: DiagnosticResult[] }> {
  const check = 'extension';
  try {
    const extensions = await loadExtensions(config);
    const findings = extensions.all.flatMap((extension) => {
      const version = extensions.versionOf(extension) ?? '(no version)';
      const about = `${extension.name} ${version}, works with Namewatch ${extension.compatibility}`;
      const lines = [about, ...describeSettings(extension, extensions.settings)];
      return lines.map((detail) => ({ check, ok: true, detail }));
    });
    return { extensions, findings };
  } catch (error) {
    if (!(error instanceof InvalidConfigurationError) || config.extensions.length === 0) throw error;
    return { extensions: null, findings: error.problems.map((detail) => ({ check, ok: false, detail })) };
  }
}

/**
 * Checks the lookup sources of extensions: reports which TLDs each source serves, and whether its servers accept
 * connections.
 */
async function checkLookupSources(config: Config, extensions: Extensions): Promise<readonly DiagnosticResult[]> {
  if (extensions.collect('lookupSources').length === 0) return [];
  const { openStandaloneContext } = await import('../../app/standalone.js');
  try {
    const { lookup, close } = await openStandaloneContext(config, extensions);
    try {
      return await lookup.checkSources();
    } finally {
      await close();
    }
  } catch (error) {
    return [{ check: 'sources', ok: false, detail: (error as Error).message }];
  }
}

interface FolderFindings {
  readonly findings: DiagnosticResult[];
  /** Whether a database exists. Checks must not open a missing database, since opening would create a database. */
  readonly hasDatabase: boolean;
  /** The mail relay of the running service: null if that service has none, undefined if the relay is not known. */
  readonly mailRelay?: string | null | undefined;
}

/** Checks the data directory without changing it. Checks its running service, or the ports that a service would use. */
async function checkDataDirectory(config: Config): Promise<FolderFindings> {
  const { checkFreeSpace, checkPorts, checkRunningService } = await import('../../platform/diagnostics.js');
  try {
    const directory = DataDirectory.at(config.dataDir);
    const holder = findRunningService(directory);
    const isEmbedded = config.databaseUrl === null && directory.hasCluster;
    const space = isEmbedded ? await checkFreeSpace(directory.cluster) : { ok: true, detail: '' };
    const folder = (detail: string) => ({ check: 'data', ok: space.ok, detail: `${detail}${space.detail}` });
    const service = (detail: string) => ({ check: 'service', ok: true, detail });
    if (!holder) {
      const hasData = config.databaseUrl === null ? directory.hasCluster : directory.wasStarted;
      const noData = `no data in ${directory.path}: wrong folder, or not started yet`;
      const findings = [folder(hasData ? directory.path : noData), service('not running'), await checkPorts(config)];
      return { findings, hasDatabase: hasData || config.databaseUrl !== null };
    }
    const inUse = folder(`${directory.path}, in use by pid ${holder.pid}`);
    const address = directory.address();
    const running =
      address === null
        ? service(`starting (pid ${holder.pid})`)
        : await checkRunningService({ address, role: holder.role ?? 'unknown' });
    return { findings: [inUse, running], hasDatabase: true, mailRelay: readMailRelay(directory) };
  } catch (error) {
    return { findings: [{ check: 'data', ok: false, detail: (error as Error).message }], hasDatabase: false };
  }
}

/** Reads the mail relay from `service.json`. Returns undefined for a broken file, so that other findings are shown. */
function readMailRelay(directory: DataDirectory): string | null | undefined {
  try {
    return directory.serviceFacts()?.mailRelay;
  } catch {
    return undefined;
  }
}

async function checkDatabaseAndStart(config: Config, extensions: Extensions | null): Promise<DiagnosticResult[]> {
  const { checkDatabase } = await import('../../platform/diagnostics.js');
  try {
    const database = await openDatabase(config);
    try {
      const reachable = await checkDatabase(database.url);
      return reachable.ok ? [reachable, ...(await checkStart(database, extensions))] : [reachable];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [{ check: 'database', ok: false, detail: (error as Error).message }];
  }
}

/**
 * Finds problems that would stop a start: tables of a later version, failing extensions, or secrets that no key
 * decrypts.
 */
async function checkStart({ url, config }: OpenDatabase, extensions: Extensions | null): Promise<DiagnosticResult[]> {
  const { checkMasterKeys, checkMigrations } = await import('../../platform/diagnostics.js');
  const { pendingMigrations } = await import('../../app/migrate.js');
  return [
    ...(extensions ? [await checkMigrations(() => pendingMigrations(url, extensions))] : []),
    ...(extensions ? await checkExtensionStart({ url, config }, extensions) : []),
    await checkMasterKeys(url, config.masterKeys),
  ];
}

/**
 * Starts the extensions to find their errors. Does nothing while a migration is pending, because the start would apply
 * it.
 */
async function checkExtensionStart(
  { url, config }: Pick<OpenDatabase, 'url' | 'config'>,
  extensions: Extensions,
): Promise<DiagnosticResult[]> {
  if (extensions.all.length === 0) return [];
  const { pendingMigrations } = await import('../../app/migrate.js');
  const { openAdminContext } = await import('../../app/admin.js');
  try {
    if ((await pendingMigrations(url, extensions)).length > 0) return [];
    const context = await openAdminContext(config, extensions);
    await context.close();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfigurationError)) throw error;
    return error.problems.map((detail) => ({ check: 'extension', ok: false, detail }));
  }
}

/** Returns the settings to print, without any value that may be secret. */
function summary({
  role,
  dataDir,
  databaseUrl,
  redisUrl,
  sandbox,
  timeScale,
  masterKeys,
  defaultPlan,
}: Config): string {
  return [
    `role ${role}`,
    `data in ${dataDir}`,
    databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL',
    redisUrl === null ? 'queue on PostgreSQL' : 'queue on Redis',
    `plan ${defaultPlan}`,
    `sandbox ${sandbox ? 'on' : 'off'}`,
    ...(timeScale > 1 ? [`time runs ${timeScale} times as fast`] : []),
    `${masterKeys.length > 0 ? 'master key set' : 'master key kept in the data directory'}`,
  ].join(', ');
}
