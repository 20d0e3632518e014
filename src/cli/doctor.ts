import { Command } from 'commander';
import { type Config, readConfig } from '../config.js';
import type { Finding } from '../platform/examinations.js';
import { openDatabase } from '../process/open-database.js';
import { print } from './administer.js';
import { CommandFailed, EXIT } from './exit-codes.js';

export function doctor(): Command {
  return new Command('doctor')
    .description('look at the settings and at everything the service needs')
    .option('--json', 'one line of JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(readConfig());
      const lines = findings.map(({ check, ok, detail }) => `${ok ? 'ok  ' : 'FAIL'}  ${check.padEnd(10)}  ${detail}`);
      print(json, { ok: findings.every(({ ok }) => ok), findings }, lines);
      if (findings.some(({ ok }) => !ok)) throw new CommandFailed(EXIT.failed, '');
    });
}

async function examine(config: Config): Promise<Finding[]> {
  const settings = { check: 'settings', ok: true, detail: summary(config) };
  const { databaseFindings, mailFindings, queueFindings, registryFindings } =
    await import('../platform/examinations.js');
  const elsewhere = [queueFindings(config), registryFindings(config), mailFindings(config)];
  const database = await withDatabase(config, databaseFindings);
  return [settings, database, ...(await Promise.all(elsewhere))];
}

async function withDatabase(config: Config, look: (url: string) => Promise<Finding>): Promise<Finding> {
  try {
    const database = await openDatabase(config);
    try {
      return await look(database.url);
    } finally {
      await database.close();
    }
  } catch (error) {
    return { check: 'database', ok: false, detail: (error as Error).message };
  }
}

/** Without any value that could be a secret. */
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
