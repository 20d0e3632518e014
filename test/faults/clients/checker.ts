import type { ApiClient } from './api-client.js';
import type { ClientLog } from './client-log.js';

/** A check that was answered. */
export interface Checked {
  readonly status: number;
  /** Why there is no status. */
  readonly reason: string;
}

interface BulkItem {
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly status: number; readonly detail: string } | null;
}

/** Checks names, one try each, and logs the answers that have a status. */
export class Checker {
  constructor(
    private readonly client: ApiClient,
    private readonly log: ClientLog,
  ) {}

  /** null: no answer. */
  async check(name: string, { isFresh = true } = {}): Promise<Checked | null> {
    const from = Date.now();
    const path = `/v1/domains/check?domain=${name}${isFresh ? '&max_age=0' : ''}`;
    const answer = await this.client.callOnce({ method: 'GET', path });
    if (answer?.status === 200) this.logStatus(name, answer.body, from);
    return answer && { status: answer.status, reason: String(answer.body['detail']) };
  }

  /** null: no answer, or a status. */
  async checkInBulk(name: string): Promise<Checked | null> {
    const from = Date.now();
    const body = { domains: [name] };
    const answer = await this.client.callOnce({ method: 'POST', path: '/v1/domains/check?max_age=0', body });
    const [item] = (answer?.status === 200 ? answer.body['data'] : []) as BulkItem[];
    if (item?.result) this.logStatus(name, item.result, from);
    return item?.error ? { status: item.error.status, reason: item.error.detail } : null;
  }

  private logStatus(name: string, { status }: Readonly<Record<string, unknown>>, from: number): void {
    this.log.checks.push({ name, status: String(status), from, to: Date.now() });
  }
}
