import { Injectable, Logger } from '@nestjs/common';
import { SecretsConfig } from '../../config/sections.js';
import { SqlClient } from '../database/sql-client.js';
import { Readiness } from '../readiness.js';
import { openDataKey, readSealedDataKey } from './data-key.js';
import { SecretBox } from './secret-box.js';

/**
 * Notices if this process can no longer use the database's key for secrets (data key), for example after the database
 * was replaced. This process then sends nothing.
 */
@Injectable()
export class DataKeyWatch {
  private readonly log = new Logger('MasterKey');
  private lost = false;

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly box: SecretBox,
    private readonly config: SecretsConfig,
    readiness: Readiness,
  ) {
    // Reports the last known state, since an unreachable database says nothing about the key.
    readiness.add('master_key', () => (this.lost ? Promise.reject(new Error('lost')) : Promise.resolve()));
  }

  get isLost(): boolean {
    return this.lost;
  }

  /** Reads the data key again. @throws if the database is unavailable */
  async look(): Promise<void> {
    const sealed = await readSealedDataKey((text, values) =>
      this.sqlClient.run({ name: 'data_key_read', text }, values),
    );
    const problem = this.findProblem(sealed);
    if (problem !== null && !this.lost) this.log.error(`${problem}; until then nothing is sent`);
    if (problem === null && this.lost) this.log.log('the data key opens again: sending goes on');
    this.lost = problem !== null;
  }

  private findProblem(sealed: string | null): string | null {
    try {
      const key = sealed && openDataKey(sealed, this.config.masterKeys);
      const isOurs = key !== null && new SecretBox(key).keyId === this.box.keyId;
      return isOurs ? null : 'the database has another data key than at the start of this process: start it again';
    } catch (error) {
      return (error as Error).message;
    }
  }
}
