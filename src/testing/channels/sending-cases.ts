import assert from 'node:assert/strict';
import { EXAMPLE_EVENTS, isGone } from '../../notifications/index.js';
import type { ContractCase } from '../contract-case.js';
import { replyWith } from './loopback-receiver.js';
import { assertNoSecret, type ChannelSenderContractOptions, Subject } from './subject.js';

const SHORT_TIMEOUT_MS = 300;
/** Generous: the machine may be busy. */
const SLACK_MS = 3_000;
const MAX_EXCERPT_BYTES = 4_096;
const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';
/** Any more is not a status of a receiver that does its work. */
const REFUSALS = [400, 401, 403, 404, 422, 500, 503];

/** What `send` promises. */
export function sendingCases(options: ChannelSenderContractOptions): ContractCase[] {
  const oneCase = (name: string, check: (subject: Subject) => Promise<void>): ContractCase => ({
    name,
    run: () => Subject.run(options, check),
  });
  return [
    oneCase('sends an event of every type, each in one request', async (subject) => {
      for (const event of Object.values(EXAMPLE_EVENTS)) {
        const before = subject.receiver.received.length;
        assert.equal((await subject.send(undefined, { event })).outcome, 'ok', event.type);
        assert.equal(subject.receiver.received.length - before, 1, `requests for ${event.type}`);
      }
    }),
    oneCase('sends the same body at each attempt, so that receivers recognize a repeat', async (subject) => {
      await subject.send();
      await subject.send(undefined, { attempt: 2, sentAt: new Date(Date.now() + 60_000) });
      const [first, second] = subject.receiver.received;
      assert.equal(second?.body, first?.body);
    }),
    oneCase('keeps signing secrets out of requests', async (subject) => {
      if (subject.sender.secret !== 'signing') return;
      await subject.send();
      assertNoSecret(JSON.stringify(subject.receiver.received), subject.secrets, 'the request');
    }),
    ...statusCases(oneCase),
    oneCase('reports an HTML page of a proxy as a retryable 502', async (subject) => {
      const outcome = await subject.send(replyWith(502, HTML, { 'content-type': 'text/html' }));
      assert.partialDeepStrictEqual(outcome, { outcome: 'http_error', responseStatus: 502, final: false });
    }),
    oneCase('reports a reply that is no HTTP, or a lost connection, as retryable', async (subject) => {
      const garbage = await subject.send(
        (response) => void response.socket?.end('220 mail.example.test ESMTP\r\n\r\n'),
      );
      const reset = await subject.send((response) => void response.socket?.destroy());
      for (const outcome of [garbage, reset])
        assert.partialDeepStrictEqual(outcome, { outcome: 'connect', responseStatus: null, final: false });
    }),
    oneCase('ends by itself when the receiver hangs', async (subject) => {
      subject.receiver.reply = () => undefined;
      const timeout = Promise.withResolvers<string>();
      const timer = setTimeout(() => timeout.resolve('still waiting'), SHORT_TIMEOUT_MS + SLACK_MS);
      const sent = subject.sender.send(subject.message({ timeoutMs: SHORT_TIMEOUT_MS }));
      const outcome = await Promise.race([sent.then((one) => one.outcome), timeout.promise]);
      clearTimeout(timer);
      assert.equal(outcome, 'timeout');
    }),
    oneCase('keeps at most 4 kB of a reply', async (subject) => {
      const { responseExcerpt } = await subject.send(replyWith(400, 'x'.repeat(1_000_000)));
      assert.ok(Buffer.byteLength(responseExcerpt ?? '') <= MAX_EXCERPT_BYTES);
    }),
    oneCase('keeps no secret of a reply that repeats the request', async (subject) => {
      for (const status of [200, 400]) {
        const { responseExcerpt } = await subject.send((response, request) =>
          response.writeHead(status).end(JSON.stringify({ path: request.path, headers: request.headers })),
        );
        assertNoSecret(responseExcerpt, subject.secrets, 'the excerpt');
      }
    }),
  ];
}

/** What the status of a reply means. */
function statusCases(oneCase: (name: string, check: (subject: Subject) => Promise<void>) => ContractCase) {
  return [
    oneCase('takes no refusal for a success', async (subject) => {
      for (const status of REFUSALS) {
        const { outcome, responseStatus } = await subject.send(replyWith(status, 'no'));
        assert.deepEqual({ outcome, responseStatus }, { outcome: 'http_error', responseStatus: status });
      }
    }),
    oneCase('retries what may pass: 429, 500, 503', async (subject) => {
      for (const status of [429, 500, 503])
        assert.equal((await subject.send(replyWith(status))).final, false, `${status} is final`);
    }),
    oneCase('passes Retry-After on', async (subject) => {
      const { retryAfterMs } = await subject.send(replyWith(429, '', { 'retry-after': '120' }));
      assert.equal(retryAfterMs, 120_000);
    }),
    oneCase('takes 410 for good: the channel ends', async (subject) => {
      const outcome = await subject.send(replyWith(410, 'gone'));
      assert.ok(isGone(outcome) && outcome.final, 'a 410 does not end the channel');
    }),
    oneCase('follows no redirect', async (subject) => {
      const { outcome } = await subject.send(replyWith(307, '', { location: 'https://elsewhere.example.test/' }));
      assert.notEqual(outcome, 'ok');
      assert.equal(subject.receiver.received.length, 1, 'requests');
    }),
  ];
}
