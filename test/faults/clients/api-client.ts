import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../scenario/seeded-random.js';
import type { ServiceProcess } from '../cluster/service-process.js';

export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether this is the answer to a retry. */
  readonly isRepeat: boolean;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Longer than the service's own deadline. */
const TIMEOUT_MS = 8_000;
const RETRY_DELAY_MS = 150;
/**
 * Refused for a moment: while the database hangs, requests of one account wait for each other, and the first one with an
 * Idempotency-Key may still be at work when its client asks again.
 */
const FOR_A_MOMENT: readonly unknown[] = ['too_many_concurrent_requests', 'idempotency_in_flight'];

/** A well-behaved API client: it retries with the same Idempotency-Key. */
export class ApiClient {
  /** Answers that no outage explains. */
  readonly unexpectedResponses: string[] = [];

  constructor(
    private readonly key: string,
    private readonly apis: readonly ServiceProcess[],
    private readonly random: SeededRandom,
  ) {}

  /** Retries until the timeout. null: no answer, so the request may have been processed or not. */
  async call(call: ApiRequest, timeoutMs: number): Promise<ApiResponse | null> {
    const until = Date.now() + timeoutMs;
    const idempotencyKey = `faults-${this.random.next()}`;
    for (let isRepeat = false; Date.now() < until; isRepeat = true) {
      const answer = await this.callOnce(call, idempotencyKey);
      if (answer && answer.status < 500 && !FOR_A_MOMENT.includes(answer.body['code'])) return { ...answer, isRepeat };
      if (answer && answer.status >= 500 && answer.status !== 503)
        this.unexpectedResponses.push(
          `${answer.status} to ${call.method} ${call.path}: ${JSON.stringify(answer.body)}`,
        );
      await pause(RETRY_DELAY_MS);
    }
    return null;
  }

  /** One try at a running process; null without an answer. */
  async callOnce(
    { method, path, body }: ApiRequest,
    idempotencyKey: string | null = null,
  ): Promise<Omit<ApiResponse, 'isRepeat'> | null> {
    const up = this.apis.flatMap(({ address }) => (address === null ? [] : [address]));
    if (up.length === 0) return null;
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    if (body) headers['content-type'] = 'application/json';
    if (idempotencyKey !== null && method === 'POST') headers['idempotency-key'] = idempotencyKey;
    const sent = body ? { body: JSON.stringify(body) } : {};
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const reply = await fetch(this.random.pick(up) + path, { method, headers, signal, ...sent });
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as ApiResponse['body']) };
    } catch {
      return null; // the process is down or went down meanwhile
    }
  }
}
