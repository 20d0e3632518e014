import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServerResponse } from 'node:http';
import { AppModule } from './app.module.js';
import { AccountAdminService } from '../auth/index.js';
import { type Config, findEndedSettings } from '../config/config.js';
import { Extensions } from '../extensions/extensions.js';
import { nameExtensions } from '../extensions/extensions.module.js';
import { ExtensionTasks } from '../extensions/extension-tasks.js';
import { SECOND } from '../kernel/clock.js';
import { withTimeout } from '../kernel/promises.js';
import { migrate } from './migrate.js';
import { isDashboardBuilt, serveDashboard } from '../platform/http/dashboard.js';
import { createHttpApplication } from '../platform/http/http-application.js';
import { explainListenErrors, serviceAddress } from '../platform/listen.js';
import { DatabaseClock } from '../platform/database/database-clock.js';
import { includesRole } from '../config/process-role.js';
import { Readiness } from '../platform/readiness.js';

export interface RunningService {
  /** `http://127.0.0.1:41234` */
  readonly address: string;
  /** The key that was given, if it opened the first account; null when there was an account already. */
  readonly firstKey: string | null;
  /** Resolves with by how many milliseconds, when PostgreSQL's clock was moved: it has to be closed and started again. */
  readonly clockMoved: Promise<number>;
  /** Tells balancers to send no more requests; later requests are served until it is closed. */
  readonly retire: () => void;
  /** Lets requests and jobs under way finish, then lets go of the database and the queue. */
  readonly close: () => Promise<void>;
}

export interface StartOptions {
  /** A fresh key that opens the first account of an empty installation. */
  readonly firstKey?: string;
  readonly extensions?: Extensions;
}

/** Migrates, then serves what the role says until closed. */
export async function startService(
  config: Config,
  { firstKey, extensions = Extensions.none }: StartOptions = {},
): Promise<RunningService> {
  const applied = await migrate(config, extensions);
  const app = await createApplication(config, extensions);
  if (applied > 0)
    new Logger('Migrations').log({ applied }, 'migrations were applied: the database is of this version now');
  try {
    const opened = await openFirstAccount(app, config, firstKey);
    await explainListenErrors(serviceAddress(config), () => app.listen(config.port, config.host));
    return {
      address: toReachableUrl(await app.getUrl()),
      firstKey: opened,
      clockMoved: app.get(DatabaseClock, { strict: false }).firstStep,
      retire: () => app.get(Readiness, { strict: false }).retire(),
      close: () => shutDown(app, config),
    };
  } catch (error) {
    await closeAfterFailure(app, config);
    throw error;
  }
}

/**
 * Work that has begun would go on asking the database. The reason of the failed start matters more than that of the
 * close.
 */
export async function closeAfterFailure(app: NestFastifyApplication, config: Config): Promise<void> {
  await waitForDrain(app.close(), config).catch((error: unknown) =>
    new Logger('Namewatch').warn(`not everything could be closed: ${(error as Error).message}`),
  );
}

export interface ApplicationOptions {
  /** When a host application passes them on: their end is waited for, as a server does for its own. */
  readonly requests?: RequestsInFlight;
  /** false: tasks of extensions run when they are told to. */
  readonly schedulesTasks?: boolean;
}

/** The whole service, initialised but not listening. */
export async function createApplication(
  config: Config,
  extensions = Extensions.none,
  { requests, schedulesTasks = true }: ApplicationOptions = {},
): Promise<NestFastifyApplication> {
  const logger = requests === undefined ? 'own' : 'host';
  const app = await nameExtensions(extensions, () =>
    createHttpApplication(config, AppModule.forConfig(config, extensions), logger),
  );
  if (extensions.all.length > 0) new Logger('Extensions').log(extensions.describe());
  try {
    const ended = findEndedSettings(config.environment);
    if (ended.length > 0) new Logger('Namewatch').warn(`no longer a setting, and ignored: ${ended.join(', ')}`);
    if (!schedulesTasks) app.get(ExtensionTasks, { strict: false }).unschedule();
    await nameExtensions(extensions, () => app.init());
    const fastify = app.getHttpAdapter().getInstance();
    if (includesRole(config.role, 'api')) await servePages(app, config); // their routes need the modules' hooks
    if (requests !== undefined) fastify.addHook('preClose', () => requests.waitUntilAnswered());
    await fastify.ready();
    return app;
  } catch (error) {
    await closeAfterFailure(app, config);
    throw error;
  }
}

/** `/` leads to the dashboard; without one, to the API console. */
async function servePages(app: NestFastifyApplication, { ui }: Config): Promise<void> {
  const hasDashboard = ui && isDashboardBuilt();
  if (ui && !hasDashboard) new Logger('Namewatch').warn('there is no dashboard: dist/ui is not built');
  if (hasDashboard) await serveDashboard(app.getHttpAdapter().getInstance());
  const { serveDocs } = await import('../openapi/document.js');
  serveDocs(app, { isStartPage: !hasDashboard });
}

export async function openFirstAccount(
  app: NestFastifyApplication,
  config: Config,
  firstKey?: string,
): Promise<string | null> {
  const admin = app.get(AccountAdminService);
  if (config.bootstrapApiKey) await admin.ensureBootstrapKey(config.bootstrapApiKey);
  if (firstKey === undefined) return null;
  return (await admin.openFirstAccount(firstKey)) ? firstKey : null;
}

/** How often idle connections are closed while the service stops. */
const IDLE_SWEEP_INTERVAL_MS = 50;

/**
 * Gives requests and jobs under way DRAIN_SECONDS. Another process repeats longer work once its lease has ended.
 * Closing a server closes the connections that are idle then. A connection that becomes idle later, with the answer to
 * the last request, is kept alive for the caller and would keep the process for as long.
 */
async function shutDown(app: NestFastifyApplication, config: Config): Promise<void> {
  const closed = app.close();
  const idleSweep = setInterval(() => app.getHttpServer().closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  await waitForDrain(closed, config).finally(() => clearInterval(idleSweep));
}

/** Waits until it is closed, at most for DRAIN_SECONDS. */
export function waitForDrain(closed: Promise<void>, { drainSeconds }: Config): Promise<void> {
  return withTimeout(drainSeconds * SECOND, closed, () => undefined);
}

/** Returns where people reach it: a wildcard address is no address to open. */
function toReachableUrl(url: string): string {
  return url.replace('[::1]', '127.0.0.1').replace('0.0.0.0', '127.0.0.1').replace('[::]', '127.0.0.1');
}

/** Counts the requests that are being answered, so that a shutdown can wait for them. */
export class RequestsInFlight {
  private count = 0;
  private readonly idle = Promise.withResolvers<void>();
  private isClosing = false;

  /** Later requests are not counted: they are refused without any work. */
  add(response: ServerResponse): void {
    if (this.isClosing) return;
    this.count += 1;
    response.once('close', () => {
      this.count -= 1;
      if (this.isClosing && this.count === 0) this.idle.resolve();
    });
  }

  async waitUntilAnswered(): Promise<void> {
    this.isClosing = true;
    if (this.count > 0) await this.idle.promise;
  }
}
