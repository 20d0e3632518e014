import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeAfterFailure, createApplication, openFirstAccount, waitForDrain } from './bootstrap.js';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { Extensions } from '../extensions/extensions.js';
import { loadExtensions } from '../extensions/load-extensions.js';
import { assertCanListen, metricsAddress } from '../platform/listen.js';
import { FatalStallSignal } from '../platform/fatal-stall-signal.js';
import { explainDatabaseErrors } from '../process/explain-database-errors.js';
import { migrate } from './migrate.js';
import { MountPath } from './mount-path.js';
import { Namewatch, type NamewatchOptions } from './namewatch.js';
import { RequestsInFlight } from './requests-in-flight.js';

/** Passes requests to a Nest application whose server never listens. */
export class MountedNamewatch extends Namewatch {
  readonly stalled: Promise<string>;
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly config: Config,
    private readonly path: MountPath,
    private readonly requests: RequestsInFlight,
  ) {
    super();
    this.stalled = app.get(FatalStallSignal, { strict: false }).reason;
  }

  static async start(config: Config, { extensions = [], path: pathText }: NamewatchOptions): Promise<Namewatch> {
    const path = MountPath.parse(pathText);
    rejectUnmountable(config);
    const named = await loadExtensions(config);
    const all = Extensions.from([...named.all, ...extensions]);
    const mounted = config.withMountPath(path.text);
    await assertCanListen([metricsAddress(mounted)]); // the host listens for the rest
    return explainDatabaseErrors(mounted, async () => {
      await migrate(mounted, all);
      const requests = new RequestsInFlight();
      const app = await createApplication(mounted, all, requests);
      try {
        await openFirstAccount(app, mounted);
      } catch (error) {
        await closeAfterFailure(app, mounted);
        throw error;
      }
      return new MountedNamewatch(app, mounted, path, requests);
    });
  }

  handle(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.path.removeFrom(request)) return false;
    this.requests.add(response);
    this.app.getHttpServer().emit('request', request, response);
    return true;
  }

  close(): Promise<void> {
    return (this.closing ??= waitForDrain(this.app.close(), this.config));
  }
}

function rejectUnmountable({ databaseUrl, mailConfirmation, publicUrl }: Config): void {
  const problems: string[] = [];
  if (databaseUrl === null)
    problems.push('DATABASE_URL is required inside another application: only the command line starts a PostgreSQL');
  if (mailConfirmation && publicUrl === null)
    problems.push('PUBLIC_URL is required inside another application where mail addresses have to confirm');
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}
