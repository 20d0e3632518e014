import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandResult, runInProcess } from '../programs/command-line.js';
import { startTestService, type TestService } from './test-service.js';

type Settings = Readonly<Record<string, string>>;

/** A service that listens, and the command line with the settings that lead to it and to its database. */
export class CommandLineService {
  private constructor(
    readonly service: TestService,
    /** The data folder, for other files of a test too. */
    readonly folder: string,
    /** The environment of the commands. The key is that of the service's account. */
    readonly env: Settings,
  ) {}

  static async start(settings: Settings = {}): Promise<CommandLineService> {
    const MASTER_KEY = randomBytes(32).toString('base64');
    const service = await startTestService({ MASTER_KEY, ROLE: 'api', ...settings });
    await service.app.listen(0, '127.0.0.1');
    const folder = mkdtempSync(join(tmpdir(), 'namewatch-cli-'));
    return new CommandLineService(service, folder, {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: service.databaseUrl,
      MASTER_KEY,
      DATA_DIR: folder,
      RDAP_BOOTSTRAP_URL: 'off',
      NAMEWATCH_URL: await service.app.getUrl(),
      NAMEWATCH_KEY: service.account.key,
    });
  }

  run(words: readonly string[], changes: Settings = {}): Promise<CommandResult> {
    return runInProcess(words, { ...this.env, ...changes });
  }

  /** The output of a successful command, for scripts. */
  async json(...words: string[]): Promise<Record<string, unknown>> {
    const { code, out, err } = await this.run([...words, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
