import { randomBytes } from 'node:crypto';
import type { Browser, Page } from '../../../tools/browser.js';
import { build, isStale } from '../../../bin/build.mjs';
import { CONSTANTS } from '../../../src/config/config.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import { FakeRegistry } from '../../world/registry.js';
import { WebhookReceiver } from '../../world/receiver.js';
import { type Call, startTestService, type TestService } from '../servers/test-service.js';
import { acme } from './dashboard-extension.js';
import { goToScreen, openScreen, openTab, signIn, noMisdeeds } from './dashboard-page.js';
import { launchBrowser } from './launch.js';

const EXTENSIONS = Extensions.from([acme]);

interface Started {
  readonly browser: Browser;
  readonly page: Page;
  readonly receiver: WebhookReceiver;
  readonly registry: FakeRegistry;
  readonly settings: Readonly<Record<string, string>>;
  /** Of the account that the tests share. A service that starts again opens another one too. */
  readonly key: string;
  readonly address: string;
  service: TestService;
}

/** A service with its dashboard and an extension, a browser with a page in it, and a webhook receiver; all on loopback. */
export class RunningDashboard {
  /** Of all its tabs. */
  readonly misdeeds = noMisdeeds();
  private started: Started | null = null;

  async start(): Promise<void> {
    if (isStale()) await build();
    const receiver = await WebhookReceiver.startTrusted();
    const registry = await FakeRegistry.start();
    const settings = {
      RDAP_OVERRIDES: `example=${registry.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
      ROLE: 'all',
      UI: 'on',
      MASTER_KEY: randomBytes(32).toString('base64'),
      ...receiver.settings,
    };
    const [browser, service] = await Promise.all([launchBrowser(), startTestService(settings, EXTENSIONS, CONSTANTS)]);
    await service.app.listen(0, '127.0.0.1');
    const page = await openTab(browser, this.misdeeds, { viewport: { width: 1_280, height: 900 } });
    const address = await service.app.getUrl();
    this.started = { browser, page, receiver, registry, settings, key: service.account.key, address, service };
  }

  /** The tab that most tests use, signed in by the first of them. */
  get page(): Page {
    return this.running.page;
  }

  get key(): string {
    return this.running.key;
  }

  /** Such as `http://127.0.0.1:41234`; it stays when the service starts again. */
  get address(): string {
    return this.running.address;
  }

  get browser(): Browser {
    return this.running.browser;
  }

  get receiver(): WebhookReceiver {
    return this.running.receiver;
  }

  /** Of the names below `.example`. */
  get registry(): FakeRegistry {
    return this.running.registry;
  }

  private get databaseUrl(): string {
    return this.running.service.databaseUrl;
  }

  /** Asks the database of the service. */
  async query(text: string, values?: unknown[]): Promise<void> {
    await this.running.service.query(text, values);
  }

  /** The answer's body to a request with the account's key. */
  async send(call: Call): Promise<Record<string, unknown>> {
    return (await this.running.service.call({ key: this.key, ...call })).body;
  }

  async post(path: string, body: object): Promise<Record<string, unknown>> {
    return this.send({ method: 'POST', path, body });
  }

  async issueKey(...scopes: string[]): Promise<{ readonly id: string; readonly key: string }> {
    const { id, key } = await this.post('/v1/keys', { name: `for ${scopes.join()}`, scopes });
    return { id: String(id), key: String(key) };
  }

  /** In a window of its own: a browser draws a tab behind another one once a second. */
  openTab(): Promise<Page> {
    return openTab(this.browser, this.misdeeds);
  }

  async openSignedInTab(key = this.key): Promise<Page> {
    const tab = await this.openTab();
    await signIn(tab, this.address, key);
    return tab;
  }

  /** Loads the page, by an address below /ui. */
  open(path: string, tab = this.page): Promise<void> {
    return openScreen(tab, this.address, path);
  }

  /** Without loading the page. */
  goTo(path: string, tab = this.page): Promise<void> {
    return goToScreen(tab, path);
  }

  stopService(): Promise<void> {
    return this.running.service.close();
  }

  /** On the port and the database of the stopped service. */
  async startService(): Promise<void> {
    const service = await startTestService({ ...this.running.settings, DATABASE_URL: this.databaseUrl }, EXTENSIONS);
    await service.app.listen(Number(new URL(this.address).port), '127.0.0.1');
    this.running.service = service;
  }

  async close(): Promise<void> {
    await this.started?.browser.close();
    await this.started?.service.close();
    await this.started?.receiver.close();
    await this.started?.registry.stop();
  }

  private get running(): Started {
    if (this.started === null) throw new Error('the dashboard is not started');
    return this.started;
  }
}
