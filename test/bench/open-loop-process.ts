import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { answerOrders } from './child.js';
import type { OpenLoad, Stream } from './open-loop.js';

/**
 * Sends the requests of an order at fixed times, whether the earlier ones were answered or not, and answers with the
 * milliseconds that each took. In a process of its own: a loop that shares the turns of what it measures cannot see
 * that they are late.
 */
const agent = new Agent({ connections: 512, pipelining: 1 });
/** Timers are no more exact than this; a request that is due within it is sent at once. */
const TIMER_MS = 0.5;
const LEAD_MS = 20;
let sent = 0;

async function run({ streams, seconds }: OpenLoad): Promise<number[][]> {
  const begin = performance.now() + LEAD_MS;
  return Promise.all(
    streams.map((stream, nth) => send(stream, begin + (1_000 * nth) / (stream.rate * streams.length), seconds)),
  );
}

async function send(stream: Stream, begin: number, seconds: number): Promise<number[]> {
  const total = Math.round(stream.rate * seconds);
  const answers: Promise<number>[] = [];
  while (answers.length < total) {
    const now = performance.now();
    let due = begin + (1_000 * answers.length) / stream.rate;
    for (; due <= now + TIMER_MS && answers.length < total; due += 1_000 / stream.rate)
      answers.push(timeOne(stream, Math.min(due, now)));
    await pause(Math.max(0, due - TIMER_MS - performance.now()));
  }
  return Promise.all(answers);
}

/** Counts from the planned time: a request that leaves late because others are slow has waited for them. */
async function timeOne({ url, headers }: Stream, since: number): Promise<number> {
  sent += 1;
  const { statusCode, body } = await request(url.replace('{n}', String(sent)), { headers, dispatcher: agent });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${text}`);
  return performance.now() - since;
}

answerOrders(run);
