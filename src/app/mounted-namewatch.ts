import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeAfterFailure, createApplication, openFirstAccount, waitForDrain, RequestsInFlight } from './bootstrap.js';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { loadExtensions } from '../extensions/load-extensions.js';
import { assertCanListen, metricsAddress } from '../platform/listen.js';
import { DatabaseClock } from '../platform/database/database-clock.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { explainDatabaseErrors } from '../process/explain-database-errors.js';
import { migrate } from './migrate.js';
import { Namewatch, type NamewatchOptions } from './namewatch.js';

/** Passes requests to a Nest application that does not listen itself. */
export class MountedNamewatch extends Namewatch {
  private closing: Promise<void> | null = null;

  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly config: Config,
    private readonly path: MountPath,
    private readonly requests: RequestsInFlight,
  ) {
    super();
    // After the database's clock jumps, repairs stored times instead of restarting, because the process belongs to the
    // host application.
    const repair = app.get(RepairAfterPutBack, { strict: false });
    app.get(DatabaseClock, { strict: false }).afterEachStep(() => repair.repairTwice());
  }

  static async start(config: Config, { extensions = [], path: pathText }: NamewatchOptions): Promise<Namewatch> {
    const path = MountPath.parse(pathText);
    rejectUnmountable(config);
    const all = await loadExtensions(config, extensions);
    const mounted = config.withMountPath(path.text);
    // Only the port for metrics is ours. The host application listens for all other requests.
    await assertCanListen([metricsAddress(mounted)]);
    return explainDatabaseErrors(mounted, async () => {
      await migrate(mounted, all);
      const requests = new RequestsInFlight();
      const app = await createApplication(mounted, all, { requests });
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

/**
 * Matches a valid path for Namewatch. Allows only unreserved characters (RFC 3986), because clients and proxies may
 * percent-encode all other characters.
 */
const PATH = /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

export class MountPath {
  private constructor(readonly text: string) {}

  /** @throws InvalidConfigurationError if the path is invalid */
  static parse(text: string): MountPath {
    if (PATH.test(text)) return new MountPath(text);
    const sentence = `the path of Namewatch must be one such as /names, without a slash at its end: ${JSON.stringify(text)}`;
    throw new InvalidConfigurationError([sentence]);
  }

  /** Removes the path from the request's URL. @returns false, without a change, if the URL is not below the path */
  removeFrom(request: IncomingMessage & { originalUrl?: string }): boolean {
    const url = request.url ?? '/';
    // A URL in absolute form (RFC 9112, section 3.2.2) begins with the scheme and host.
    const target = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
    const rest = target.slice(this.text.length);
    if (!target.startsWith(this.text) || !/^([/?#]|$)/.test(rest)) return false;
    request.originalUrl ??= url;
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    return true;
  }
}
