import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { SECOND } from '../../kernel/clock.js';
import { DataKeyWatch } from '../crypto/data-key-watch.js';
import { masterKeyIds } from '../crypto/data-key.js';
import { SqlClient } from '../database/sql-client.js';
import { version } from '../outbound/user-agent.js';

const BEAT_MS = 30 * SECOND;

const BEAT = {
  name: 'processes_beat',
  text: `with forgotten as (
           delete from processes where id in (
             select id from processes where seen_at < now() - interval '1 day' for update skip locked))
         insert into processes (id, role, version, host, pid, master_keys) values ($1, $2, $3, $4, $5, $6)
         on conflict (id) do update set seen_at = now()`,
};
const LEAVE = { name: 'processes_leave', text: 'delete from processes where id = $1' };

/** Updates a database row regularly to show that this process is alive. Deletes the row at shutdown. */
@Injectable()
export class Heartbeat implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger(Heartbeat.name);
  private readonly id = randomUUID();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | null = null;

  constructor(
    private readonly sqlClient: SqlClient,
    private readonly watch: DataKeyWatch,
    private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const beat = () => (this.beating ??= this.beat().finally(() => (this.beating = null)));
    this.timer = setInterval(() => void beat(), BEAT_MS).unref();
    await beat();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
    // If this fails, the row is deleted after a day without heartbeats.
    await this.sqlClient.run(LEAVE, [this.id]).catch(() => undefined);
  }

  private async beat(): Promise<void> {
    const { role, masterKeys } = this.config;
    try {
      await this.sqlClient.run(BEAT, [this.id, role, version, hostname(), process.pid, masterKeyIds(masterKeys)]);
      await this.watch.look();
    } catch (error) {
      this.log.debug(`no heartbeat, the next follows: ${(error as Error).message}`); // other log lines report outages
    }
  }
}
