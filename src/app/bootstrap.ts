import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
import { explainListenErrors, serviceAddress, toReachableUrl } from '../platform/listen.js';
import { DatabaseClock } from '../platform/database/database-clock.js';
import { includesRole } from '../config/process-role.js';
import { Readiness } from '../platform/readiness.js';

export interface RunningService {
  readonly address: string;
  /** The key in `StartOptions.firstKey`, if this start created the first account with this key. Otherwise null. */
  readonly firstKey: string | null;
  /**
   * Resolves when the clock of PostgreSQL jumps by more than ten seconds, with the jump in milliseconds. The service
   * must then restart.
   */
  readonly clockMoved: Promise<number>;
  /** Tells load balancers to send no more requests. Requests that still come are served until the service closes. */
  readonly retire: () => void;
  /** Waits for requests and jobs in progress, then closes the connections to the database and the queue. */
  readonly close: () => Promise<void>;
}

export interface StartOptions {
  /** A new API key. If the installation has no account, the start creates the first account with this key. */
  readonly firstKey?: string;
  readonly extensions?: Extensions;
}

/** Migrates the database, then does the work of the configured role until the service is closed. */
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
      address: toReachableUrl(app.getHttpServer().address() as AddressInfo),
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

/** A failure to close is only logged, because the reason of the failed start matters more. */
export async function closeAfterFailure(app: NestFastifyApplication, config: Config): Promise<void> {
  await waitForDrain(app.close(), config).catch((error: unknown) =>
    new Logger('Namewatch').warn(`not everything could be closed: ${(error as Error).message}`),
  );
}

export interface ApplicationOptions {
  /** Requests that the host application passes to this service. A shutdown waits until they are answered. */
  readonly requests?: RequestsInFlight;
  /** false if tasks of extensions run only when a caller starts them. */
  readonly schedulesTasks?: boolean;
}

/** Creates the whole service, initialised but not listening. */
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
    // after init(), because the pages need the hooks that init() adds to Fastify
    if (includesRole(config.role, 'api')) await servePages(app, config);
    if (requests !== undefined) fastify.addHook('preClose', () => requests.waitUntilAnswered());
    await fastify.ready();
    return app;
  } catch (error) {
    await closeAfterFailure(app, config);
    throw error;
  }
}

/**
 * Serves the dashboard and the API console. `/` redirects to the dashboard, or to the console if there is no dashboard.
 */
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

const IDLE_SWEEP_INTERVAL_MS = 50;

async function shutDown(app: NestFastifyApplication, config: Config): Promise<void> {
  const closed = app.close();
  // Fastify closes only connections that are idle when the shutdown begins. This timer closes connections that become
  // idle later.
  const idleSweep = setInterval(() => app.getHttpServer().closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  await waitForDrain(closed, config).finally(() => clearInterval(idleSweep));
}

export function waitForDrain(closed: Promise<void>, { drainSeconds }: Config): Promise<void> {
  return withTimeout(drainSeconds * SECOND, closed, () => undefined);
}

export class RequestsInFlight {
  private count = 0;
  private readonly idle = Promise.withResolvers<void>();
  private isClosing = false;

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
