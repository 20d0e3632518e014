import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import type { Member } from './member.js';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether it was asked before without an answer, or with one that says to ask again. */
  readonly isRepeat: boolean;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** Longer than the service promises to take; milliseconds. */
const TIMEOUT = 8_000;
const BETWEEN_TRIES = 150;

/** Somebody who uses the API as they should: who hears nothing, or is told to, asks again, under the same key. */
export class Client {
  /** Answers that no outage excuses, with what was asked. */
  readonly wrongAnswers: string[] = [];

  constructor(
    private readonly key: string,
    private readonly apis: readonly Member[],
    private readonly chance: Chance,
  ) {}

  /** The answer, or null when none came in time: then nobody knows whether it was done. */
  async ask(call: Call, patience: number): Promise<Answer | null> {
    const until = Date.now() + patience;
    const idempotencyKey = `faults-${this.chance.fraction()}`;
    for (let isRepeat = false; Date.now() < until; isRepeat = true) {
      const answer = await this.tryOnce(call, idempotencyKey);
      if (answer && answer.status < 500) return { ...answer, isRepeat };
      if (answer && answer.status !== 503)
        this.wrongAnswers.push(`${answer.status} to ${call.method} ${call.path}: ${JSON.stringify(answer.body)}`);
      await pause(BETWEEN_TRIES);
    }
    return null;
  }

  /** Once, at whichever process is up; null when nothing was heard. */
  async tryOnce(
    { method, path, body }: Call,
    idempotencyKey: string | null = null,
  ): Promise<Omit<Answer, 'isRepeat'> | null> {
    const up = this.apis.flatMap(({ address }) => (address === null ? [] : [address]));
    if (up.length === 0) return null;
    const headers: Record<string, string> = { authorization: `Bearer ${this.key}` };
    if (body) headers['content-type'] = 'application/json';
    if (idempotencyKey !== null && method === 'POST') headers['idempotency-key'] = idempotencyKey;
    const sent = body ? { body: JSON.stringify(body) } : {};
    try {
      const signal = AbortSignal.timeout(TIMEOUT);
      const reply = await fetch(this.chance.of(up) + path, { method, headers, signal, ...sent });
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
    } catch {
      return null; // it is down, or went down in the middle of this
    }
  }
}
