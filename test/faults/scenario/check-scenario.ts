import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from '../clients/api-client.js';
import type { ClientLog } from '../clients/client-log.js';
import { DNS_OUTAGES, type Registries, TLDS } from '../world/registries.js';
import { RegistryState } from '../world/registry-state.js';
import type { SeededRandom } from './seeded-random.js';

const PAUSE_MS = 250;

/**
 * Names that nobody watches, and that stay registered. Their registry has no record of them for a moment, while their zone
 * cannot be heard: no check may answer that they are available.
 */
export class CheckScenario {
  readonly registryStates: RegistryState[] = [];
  /** Checks that the registry's two answers made an error. */
  refusals = 0;

  constructor(
    private readonly registries: Registries,
    private readonly client: ApiClient,
    private readonly log: ClientLog,
    private readonly random: SeededRandom,
  ) {}

  async run(stop: AbortSignal): Promise<void> {
    await Promise.all(TLDS.map((tld) => this.checkLostNames(tld, stop)));
  }

  private async checkLostNames(tld: string, stop: AbortSignal): Promise<void> {
    const random = this.random.fork(tld);
    for (let count = 0; !stop.aborted; count += 1) {
      const name = `lost-${count}.${tld}`;
      this.registryStates.push(new RegistryState(name, 'registered', Date.now()));
      this.registries.addLost(name, random.pick(DNS_OUTAGES));
      await (random.nextBoolean(0.3) ? this.checkInBulk(name) : this.check(name, '&max_age=0'));
      await this.check(name, ''); // from a cache, where there is an answer
      await pause(PAUSE_MS);
    }
  }

  private async check(name: string, more: string): Promise<void> {
    const from = Date.now();
    const answer = await this.client.callOnce({ method: 'GET', path: `/v1/domains/check?domain=${name}${more}` });
    if (answer?.status === 200) this.logStatus(name, answer.body, from);
    else if (answer?.status === 502) this.refusals += 1;
  }

  private async checkInBulk(name: string): Promise<void> {
    const from = Date.now();
    const body = { domains: [name] };
    const answer = await this.client.callOnce({ method: 'POST', path: '/v1/domains/check?max_age=0', body });
    const [item] = (answer?.status === 200 ? answer.body['data'] : []) as BulkItem[];
    if (item?.result) this.logStatus(name, item.result, from);
    else if (item?.error?.status === 502) this.refusals += 1;
  }

  private logStatus(name: string, { status }: Readonly<Record<string, unknown>>, from: number): void {
    this.log.checks.push({ name, status: String(status), from, to: Date.now() });
  }
}

interface BulkItem {
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly status: number } | null;
}
