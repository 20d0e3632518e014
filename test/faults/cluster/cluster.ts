import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SeededRandom } from '../scenario/seeded-random.js';
import { MailServer } from '../world/mail-server.js';
import { ServiceProcess, type Role } from './service-process.js';
import { FaultyPostgres } from './postgres.js';
import { FaultyRedis } from './redis.js';
import { WebhookReceivers } from '../world/webhook-receivers.js';
import { Registries } from '../world/registries.js';
import { createSettings } from './settings.js';

export type Queue = 'redis' | 'postgres';

export interface ClusterOptions {
  readonly queue: Queue;
  /** A file of faults/mutants, without its extension; null: none. */
  readonly mutant: string | null;
  /** In place of the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The second api process asks no zone. */
  readonly hasProcessWithoutDns?: boolean;
  /** Limits of the plan of every account. */
  readonly plan?: object;
  /** A built checkout of another version, with which the first process of each role alternates. */
  readonly otherVersion?: string | undefined;
}

const ROLES: readonly Role[] = ['api', 'api', 'worker', 'worker', 'scheduler', 'scheduler'];
const run = promisify(execFile);
const compiler = join(import.meta.dirname, '../../../bin/build.mjs');
const program = join(import.meta.dirname, '../../../dist/main.js');

/** Six service processes with their database, queue, registries, receivers and mail server, on loopback. */
export class Cluster {
  private closed: Promise<void> | null = null;

  private constructor(
    readonly folder: string,
    readonly postgres: FaultyPostgres,
    readonly redis: FaultyRedis | null,
    readonly registries: Registries,
    readonly receivers: WebhookReceivers,
    readonly mailServer: MailServer,
    readonly processes: readonly ServiceProcess[],
    private readonly settings: Readonly<Record<string, string>>,
    /** Belongs to the first account. */
    readonly key: string,
  ) {}

  static async open(
    { queue, mutant, settings: others = {}, plan, otherVersion, hasProcessWithoutDns = false }: ClusterOptions,
    random: SeededRandom,
  ): Promise<Cluster> {
    await run(process.execPath, [compiler]);
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-faults-'));
    chmodSync(folder, 0o755); // PostgreSQL's user walks through it
    const [postgres, redis, registries, receivers, mailServer] = await Promise.all([
      FaultyPostgres.start(folder),
      queue === 'redis' ? FaultyRedis.start(folder) : null,
      Registries.start(),
      WebhookReceivers.start(folder, random.fork('receivers')),
      MailServer.start(),
    ]);
    const { settings: usual, key } = createSettings({
      folder,
      databaseUrl: postgres.url,
      redisUrl: redis?.url ?? null,
      elsewhere: { ...registries.settings, ...mailServer.settings },
      authority: receivers.certificate,
      ...(plan ? { plan } : {}),
    });
    const settings = { ...usual, ...others };
    const preloads = mutant === null ? [] : [join(import.meta.dirname, `../mutants/${mutant}.ts`)];
    const common = { settings, folder, preloads };
    const withoutDns = { ...common, settings: { ...settings, DNS_SERVERS: 'off' } };
    const processes = ROLES.map((role, i) => {
      if (i % 2 === 0) return new ServiceProcess(`${role}-1`, role, { ...common, otherVersion });
      return new ServiceProcess(`${role}-2`, role, role === 'api' && hasProcessWithoutDns ? withoutDns : common);
    });
    return new Cluster(folder, postgres, redis, registries, receivers, mailServer, processes, settings, key);
  }

  /** Resolves when all processes are ready. */
  async start(): Promise<void> {
    for (const instance of this.processes) instance.start();
    await Promise.all(this.processes.map((instance) => instance.whenReady()));
  }

  /** @returns its key */
  async openAccount(name: string): Promise<string> {
    const { stdout } = await run(process.execPath, [program, 'account', 'create', '--name', name, '--json'], {
      env: this.settings,
    });
    return (JSON.parse(stdout) as { key: string }).key;
  }

  /** Idempotent. @param kept whether the folder with the logs stays */
  close(kept: boolean): Promise<void> {
    return (this.closed ??= this.closeAll(kept));
  }

  private async closeAll(kept: boolean): Promise<void> {
    await Promise.all(this.processes.map((instance) => instance.stop()));
    await Promise.all([
      this.registries.stop(),
      this.receivers.close(),
      this.mailServer.close(),
      this.postgres.stop(),
      this.redis?.stop(),
    ]);
    if (!kept) rmSync(this.folder, { recursive: true, force: true });
  }
}
