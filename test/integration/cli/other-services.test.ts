import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '../../support/programs/command-line.js';

type Answer = (reply: ServerResponse) => void;

describe('the command line, with a failing or foreign service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-cli-'));
  let asked: { url: string; headers: IncomingHttpHeaders }[];
  let answers: Answer[];
  const server = createServer(({ url = '', headers }, reply) => {
    asked.push({ url, headers });
    (answers.shift() ?? refusing(404))(reply);
  });
  const refusing =
    (status: number, headers = {}): Answer =>
    (reply) =>
      reply.writeHead(status, headers).end(JSON.stringify({ code: 'code', detail: 'said' }));
  const telling =
    (body: unknown): Answer =>
    (reply) =>
      reply.end(JSON.stringify(body));
  const port = () => (server.address() as AddressInfo).port;
  const url = (host = '127.0.0.1') => `http://${host}:${port()}`;

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    [asked, answers] = [[], []];
    writeFileSync(join(folder, 'first-key'), 'nw_first\n');
    writeFileSync(join(folder, 'address'), `${url()}\n`);
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const list = (words: string[], env: Record<string, string> = {}) =>
    runInProcess(['watch', 'list', ...words], { DATA_DIR: folder, ...env });

  it('sends the stored first key to the local service, by IP address or as localhost', async () => {
    for (const words of [[], ['--url', url()], ['--url', `${url('localhost')}/`]]) await list(words);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer nw_first'));
  });

  it('does not send the stored first key to any other address', async () => {
    const elsewhere = [`http://127.0.0.1:1`, `http://127.0.0.2:${port()}`, `https://127.0.0.1:${port()}`, 'nonsense'];
    for (const other of elsewhere) {
      writeFileSync(join(folder, 'address'), `${other}\n`);
      expect(await list(['--url', url()])).toMatchObject({ code: 4, err: expect.stringMatching(/^no key/) });
      expect(await list([], { NAMEWATCH_URL: url() })).toMatchObject({ code: 4 });
    }
    rmSync(join(folder, 'address'));
    expect(await list(['--url', url()])).toMatchObject({ code: 4 });
    expect(asked).toEqual([]);
    await list(['--url', url(), '--key', 'nw_mine']);
    expect(asked).toMatchObject([{ headers: { authorization: 'Bearer nw_mine' } }]);
  });

  describe('when it follows events', () => {
    const now = telling({ data: [], meta: { next: 'now', has_more: false } });
    const event = (id: string): string => {
      const event = { type: 'channel.test', timestamp: '2026-11-21T12:00:00Z', data: {} };
      return `id: ${id}\nevent: channel.test\ndata: ${JSON.stringify(event)}\n\n`;
    };
    const breaking =
      (text: string): Answer =>
      (reply) => {
        reply.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.write(text, () => reply.destroy());
      };
    const tail = (count: number, ...words: string[]) =>
      runInProcess(['events', 'tail', '--count', String(count), '--json', ...words], { DATA_DIR: folder });
    const places = () => asked.slice(1).map(({ headers }) => headers['last-event-id']);

    it('resumes after broken connections and temporary refusals, without skipping an event', async () => {
      const advice = 'retry: 10\n\n';
      answers = [now, breaking(advice), refusing(503), refusing(429, { 'retry-after': '1' })];
      answers.push(breaking(event('one')), refusing(502), breaking(event('two')));
      const began = performance.now();
      const { code, out, err } = await tail(2);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.split('\n').map((line) => (JSON.parse(line) as { cursor: string }).cursor)).toEqual(['one', 'two']);
      expect(places()).toEqual(['now', 'now', 'now', 'now', 'one', 'one']);
      expect(performance.now() - began).toBeGreaterThan(1_000);
    });

    it('exits on a permanent error, and on any error of the first request', async () => {
      answers = [now, breaking('retry: 10\n\n'), refusing(401)];
      expect(await tail(1)).toMatchObject({ code: 4, err: 'code: said' });
      answers = [refusing(503)];
      expect(await tail(1, '--after', 'here')).toMatchObject({ code: 1, err: 'code: said' });
    });
  });

  describe('when the service sends control characters', () => {
    const HOSTILE = 'x\u001b[2J\u009b31m\u202e\u0007\u200b\r\u2028';
    const refused: Answer = (reply) => reply.writeHead(404).end(JSON.stringify({ code: HOSTILE, detail: HOSTILE }));
    const failed = { index: 0, domain: HOSTILE, result: null, error: { code: HOSTILE, detail: HOSTILE } };
    const items = [failed, { meta: { total: 1, answered: 0, failed: 1 } }].map((item) => `${JSON.stringify(item)}\n`);
    const event = { type: HOSTILE, timestamp: HOSTILE, data: { domain: HOSTILE, status: HOSTILE } };
    const streams: Answer = (reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(`id: one\nevent: x\ndata: ${JSON.stringify(event)}\n\n`);
    };
    const now = telling({ data: [], meta: { next: 'now', has_more: false } });

    it.each<[string[], Answer[]]>([
      [['check', 'a.test'], [telling({ domain: HOSTILE, status: HOSTILE, checked_at: HOSTILE, expires_at: HOSTILE })]],
      [['check', 'a.test', '--json'], [telling({ domain: HOSTILE, status: HOSTILE })]],
      [['check', 'a.test', 'b.test'], [(reply) => void reply.end(items.join(''))]],
      [['check', 'a.test'], [refused]],
      [
        ['events', 'tail', '--count', '1'],
        [now, streams],
      ],
      [
        ['events', 'tail', '--count', '1', '--json'],
        [now, streams],
      ],
    ])('prints no control character with the command %j', async (words, said) => {
      answers = [...said];
      const { out, err } = await runInProcess(words, { DATA_DIR: folder });
      expect(`${out}${err}`).toContain('x');
      expect(`${out}${err}`.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    });
  });
});
