import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addNotificationChannel, addToWatchlist, namewatch } from '../../../clients/typescript/src/index.js';
import { generateApiKey } from '../../../src/auth/domain/api-key-text.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { freePort } from '../../../src/process/postgres/embedded-postgres.js';
import { fencedBlocks } from '../../../test/support/documents/markdown.js';
import { eventually } from '../../../test/support/eventually.js';
import { verified, type WebhookReceiver } from '../../../test/world/receiver.js';
import { runInShell } from '../../../test/support/programs/shell.js';
import { lastLines, type Program } from '../extensions-check/commands.js';
import type { Container, Engine } from './engines.js';

const ROLES = ['api', 'worker', 'scheduler'];
const CA_FILE = '/etc/ssl/certs/webhooks.pem';
const START_TIMEOUT_MS = 60_000;
const WATCHED = 'image--available.test';

interface Running {
  readonly role: string;
  readonly container: Container;
  readonly program: Program;
}

/** Runs each role in a container of the image. Its only registry is the sandbox. */
export class Installation {
  private readonly running: Running[] = [];
  private readonly key = generateApiKey().text;
  private address = '';

  constructor(
    private readonly engine: Engine,
    private readonly image: string,
    private readonly stores: Readonly<Record<string, string>>,
    private readonly receiver: WebhookReceiver,
  ) {}

  async migrate(): Promise<string> {
    const { ended } = await this.engine.start(await this.container('migrate'), ['migrate']);
    const { code, output } = await ended;
    if (code !== 0) throw new Error(`it ended with ${code}:\n${lastLines(output)}`);
    return lastLines(output, 1);
  }

  /** Starts all roles. Resolves when the image's own health check reports each as healthy. */
  async startRoles(): Promise<string> {
    const began = performance.now();
    for (const role of ROLES) {
      const container = await this.container(role, { ROLE: role, BOOTSTRAP_API_KEY: role === 'api' ? this.key : '' });
      this.running.push({ role, container, program: await this.engine.start(container, ['up']) });
    }
    const [kind, ...check] = (await this.engine.config(this.image)).Healthcheck.Test;
    if (kind !== 'CMD') throw new Error(`its health check is ${kind}`);
    await Promise.all(this.running.map((one) => this.awaitHealthy(one, check)));
    return `${ROLES.join(', ')} are healthy after ${seconds(began)} s`;
  }

  private async awaitHealthy({ role, container, program }: Running, check: readonly string[]): Promise<void> {
    const ended = program.ended.then(({ code, output }) => {
      throw new Error(`${role} ended with ${code}:\n${lastLines(output)}`);
    });
    const asked = () => this.engine.execute(container, check);
    await Promise.race([eventually(asked, ({ code }) => code === 0, START_TIMEOUT_MS), ended]);
  }

  /** Runs the calls in the README, with this address and key. @returns the responses */
  async makeSixCalls(root: string, folder: string): Promise<string> {
    const blocks = fencedBlocks(readFileSync(join(root, 'README.md'), 'utf8'));
    const calls = blocks.find(({ language, code }) => language === 'bash' && code.includes('/v1/domains/check?'));
    const count = calls?.code.match(/^curl /gm)?.length;
    if (!calls || count !== 6) throw new Error(`README.md has ${count} calls`);
    writeFileSync(join(folder, 'first-key'), this.key);
    const here = calls.code.replaceAll('http://127.0.0.1:3000', this.address).replaceAll('.data/', `${folder}/`);
    const answers = (await runInShell(here)).trim().split('\n');
    if (answers.length !== 5) throw new Error(`they printed ${answers.join('\n')}`);
    return ['six were answered:', ...answers].join('\n  ');
  }

  /** Watches an available name, and waits until the receiver has its event. */
  async receiveWebhook(isStopped: () => void): Promise<string> {
    const client = namewatch({ url: this.address, key: this.key });
    const throwOnError = true;
    const body = { type: 'webhook', target: this.receiver.url() } as const;
    const { data } = await addNotificationChannel({ client, throwOnError, body });
    await addToWatchlist({ client, throwOnError, body: { domain: WATCHED, notify_current: true } });
    const arrived = () => {
      isStopped();
      return Promise.resolve(this.receiver.received.all.find((one) => one.body.includes(WATCHED)));
    };
    const webhook = await eventually(arrived, (found) => found !== undefined);
    if (!webhook) throw new Error('none arrived');
    const { type } = verified(webhook, String(data.secret)) as { readonly type: string };
    return `${type} of ${WATCHED}, signature verified`;
  }

  /** Sends SIGTERM to all containers. */
  async stop(): Promise<string> {
    const stopped = await Promise.all(
      this.running.map(async ({ role, program }) => {
        const began = performance.now();
        const { code, output } = await this.engine.stop(program);
        if (code !== 0) throw new Error(`${role} ended with ${code}:\n${lastLines(output)}`);
        const took = seconds(began);
        if (took > SETTINGS.drainSeconds.default) throw new Error(`${role} ended after ${took} s`);
        return `${role} with 0 after ${took} s`;
      }),
    );
    return stopped.join(', ');
  }

  private async container(name: string, settings: Record<string, string> = {}): Promise<Container> {
    const port = String(await freePort());
    if (name === 'api') this.address = `http://127.0.0.1:${port}`;
    const { WEBHOOK_CA_FILE = '', ...trusted } = this.receiver.settings;
    return {
      name,
      image: this.image,
      files: { [CA_FILE]: WEBHOOK_CA_FILE },
      settings: {
        ...this.stores,
        ...trusted,
        ...settings,
        WEBHOOK_CA_FILE: CA_FILE,
        HOST: '127.0.0.1', // hides it from other machines, since it uses this machine's network
        PORT: port,
        RDAP_BOOTSTRAP_URL: 'off',
        DNS_SERVERS: 'off',
      },
    };
  }
}

function seconds(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10;
}
