import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Chance } from './chance.js';
import { Mails } from './mails.js';
import { Member, type Role } from './member.js';
import { OwnPostgres } from './own-postgres.js';
import { OwnRedis } from './own-redis.js';
import { Receivers } from './receivers.js';
import { Registries } from './registries.js';
import { settingsIn } from './settings.js';

export type Queue = 'redis' | 'postgres';

export interface StageOptions {
  readonly queue: Queue;
  /** What is broken on purpose, by the file in broken/; null: nothing. */
  readonly broken: string | null;
}

const ROLES: readonly Role[] = ['api', 'api', 'worker', 'worker', 'scheduler', 'scheduler'];
const run = promisify(execFile);
const compiler = join(import.meta.dirname, '../bin/build.mjs');
const program = join(import.meta.dirname, '../dist/main.js');

/** The service in six processes, and all that it has to do with, on loopback. */
export class Stage {
  private closed: Promise<void> | null = null;

  private constructor(
    readonly folder: string,
    readonly postgres: OwnPostgres,
    readonly redis: OwnRedis | null,
    readonly registries: Registries,
    readonly receivers: Receivers,
    readonly mails: Mails,
    readonly members: readonly Member[],
    private readonly settings: Readonly<Record<string, string>>,
    /** Of the first account. */
    readonly key: string,
  ) {}

  static async open({ queue, broken }: StageOptions, chance: Chance): Promise<Stage> {
    await run(process.execPath, [compiler]);
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-faults-'));
    chmodSync(folder, 0o755); // PostgreSQL's user walks through it
    const [postgres, redis, registries, receivers, mails] = await Promise.all([
      OwnPostgres.start(folder),
      queue === 'redis' ? OwnRedis.start(folder) : null,
      Registries.start(),
      Receivers.start(folder, chance.for('receivers')),
      Mails.start(),
    ]);
    const { settings, key } = settingsIn({
      ...{ folder, databaseUrl: postgres.url, redisUrl: redis?.url ?? null },
      ...{ elsewhere: { ...registries.settings, ...mails.settings }, authority: receivers.certificate },
    });
    const preloads = broken === null ? [] : [join(import.meta.dirname, `broken/${broken}.ts`)];
    const members = ROLES.map((role, i) => new Member(`${role}-${(i % 2) + 1}`, role, { settings, folder, preloads }));
    return new Stage(folder, postgres, redis, registries, receivers, mails, members, settings, key);
  }

  /** Resolves when all processes are ready. */
  async start(): Promise<void> {
    for (const member of this.members) member.start();
    await Promise.all(this.members.map((member) => member.up()));
  }

  /** @returns its key */
  async openAccount(name: string): Promise<string> {
    const { stdout } = await run(process.execPath, [program, 'account', 'create', '--name', name, '--json'], {
      env: this.settings,
    });
    return (JSON.parse(stdout) as { key: string }).key;
  }

  /** Once, whoever asks first. @param kept whether what was written stays for whoever wants to know more */
  close(kept: boolean): Promise<void> {
    return (this.closed ??= this.closeAll(kept));
  }

  private async closeAll(kept: boolean): Promise<void> {
    await Promise.all(this.members.map((member) => member.end()));
    await Promise.all([
      this.registries.stop(),
      this.receivers.close(),
      this.mails.close(),
      this.postgres.stop(),
      this.redis?.stop(),
    ]);
    if (!kept) rmSync(this.folder, { recursive: true, force: true });
  }
}
