import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import {
  describeSize,
  indentJson,
  MOST_CHARACTERS,
  toFileName,
  toShownText,
} from '../../../ui/src/screens/extensions/answer-text.js';
import { MOST_BYTES, readAnswer } from '../../../ui/src/screens/extensions/read-answer.js';

const never = new AbortController().signal;
const answered = (body: ConstructorParameters<typeof Response>[0], type: string, status = 200) =>
  readAnswer(() => Promise.resolve(new Response(body, { status, headers: { 'content-type': type } })), {
    left: never,
    late: never,
  });
const problem = {
  type: '/problems/insufficient_scope',
  title: 'The key lacks a scope',
  detail: 'It lacks ledger:read.',
  code: 'insufficient_scope',
  request_id: '0193',
  retryable: false,
};
const PROBLEM = 'application/problem+json';

/** A body that goes on until it is no longer read. */
function endless(chunk: Uint8Array) {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(chunk),
    cancel: () => void (isCancelled = true),
  });
  return { body, isCancelled: () => isCancelled };
}

describe('the response of an extension, in the dashboard', () => {
  it.each([
    ['application/json; charset=utf-8', '{"a":1}', 'application/json'],
    ['text/csv', 'a,b\r\n1,2', 'text/csv'],
    ['TEXT/HTML', '<script>alert(1)</script>', 'text/html'],
    ['application/hal+json', '{}', 'application/hal+json'],
    ['image/svg+xml', '<svg onload="alert(1)"/>', 'image/svg+xml'],
    ['application/javascript', 'alert(1)', 'application/javascript'],
  ])('is shown as unchanged text if its content type is %s', async (type, text, mediaType) => {
    expect(await answered(text, type)).toMatchObject({
      ok: true,
      data: { status: 200, mediaType, text, cut: null },
    });
  });

  it.each(['application/octet-stream', 'image/png', 'application/pdf', '', 'nonsense'])(
    'is kept as a file with unchanged bytes, not as text, if its type is %j',
    async (type) => {
      const answer = await answered(new Uint8Array([0, 255, 7]), type);
      if (!answer.ok) throw new Error('it failed');
      expect(answer.data).toMatchObject({ text: null, cut: null });
      expect(new Uint8Array(await answer.data.file.arrayBuffer())).toEqual(new Uint8Array([0, 255, 7]));
      expect(answer.data.file.type).toBe('application/octet-stream');
    },
  );

  it('counts as a refusal if it is a problem document with an error status', async () => {
    for (const status of [401, 403, 500])
      expect(await answered(JSON.stringify({ ...problem, errors: 'none' }), PROBLEM, status)).toEqual({
        ok: false,
        failure: {
          title: 'The key lacks a scope',
          detail: 'It lacks ledger:read.',
          code: 'insufficient_scope',
          requestId: '0193',
          isRetryable: false,
          fields: [],
        },
      });
  });

  it.each([
    ['that has only a title', '{"title":"x"}'],
    ['with an object as its title', JSON.stringify({ ...problem, title: { __html: '<b>' } })],
    ['that is not JSON', '{'],
    ['that is null', 'null'],
  ])('is shown unchanged despite the type application/problem+json if it is a document %s', async (_, text) => {
    expect(await answered(text, PROBLEM, 500)).toMatchObject({ ok: true, data: { status: 500, text } });
  });

  it('does not count as a refusal if its status is 200, even with the type application/problem+json', async () => {
    expect(await answered(JSON.stringify(problem), PROBLEM)).toMatchObject({ ok: true, data: { status: 200 } });
  });

  it('is cut at the size limit, and the rest is not read', async () => {
    const { body, isCancelled } = endless(new Uint8Array(1_000_001).fill(97));
    const answer = await answered(body, 'text/plain');
    if (!answer.ok) throw new Error('it failed');
    expect(answer.data).toMatchObject({ cut: 'too-long', file: { size: MOST_BYTES } });
    expect(isCancelled()).toBe(true);
  });

  it('is not cut if its size is exactly the limit', async () => {
    expect(await answered(new Uint8Array(MOST_BYTES), 'text/plain')).toMatchObject({ data: { cut: null } });
  });

  it('is shown as far as it arrived if the rest does not come before the timeout', async () => {
    const late = new AbortController();
    const asked = readAnswer(
      (signal) => {
        const start = (controller: ReadableStreamDefaultController) => {
          controller.enqueue(new TextEncoder().encode('the beginning'));
          signal.addEventListener('abort', () => controller.error(signal.reason));
        };
        return Promise.resolve(
          new Response(new ReadableStream({ start }), { headers: { 'content-type': 'text/plain' } }),
        );
      },
      { left: never, late: late.signal },
    );
    await turn(); // it waits for more
    late.abort(new DOMException('late', 'TimeoutError'));
    expect(await asked).toMatchObject({ ok: true, data: { cut: 'too-late', text: 'the beginning' } });
  });

  it('is shown as far as it arrived if the connection breaks', async () => {
    let pulls = 0;
    const pull = (controller: ReadableStreamDefaultController) =>
      (pulls += 1) > 1 ? controller.error(new TypeError('network')) : controller.enqueue(new Uint8Array([97]));
    expect(await answered(new ReadableStream({ pull }, { highWaterMark: 0 }), 'text/plain')).toMatchObject({
      data: { cut: 'broken', text: 'a' },
    });
  });

  it('is replaced by an error message if none comes before the timeout or the connection fails', async () => {
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    const rejected = (signal: AbortSignal) => Promise.reject<Response>(signal.reason as Error);
    expect(await readAnswer(rejected, { left: never, late })).toMatchObject({
      ok: false,
      failure: { title: 'The extension does not answer', isRetryable: true },
    });
    expect(
      await readAnswer(() => Promise.reject(new TypeError('Failed to fetch')), { left: never, late: never }),
    ).toMatchObject({ ok: false, failure: { title: 'The service does not answer' } });
    const left = AbortSignal.abort(new Error('another screen'));
    await expect(readAnswer(rejected, { left, late: never })).rejects.toThrow('another screen');
  });

  it('is replaced by an error message if it is a redirect', async () => {
    const redirect = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' });
    expect(await readAnswer(() => Promise.resolve(redirect), { left: never, late: never })).toMatchObject({
      ok: false,
      failure: { title: 'This link leads elsewhere' },
    });
  });
});

describe('the text shown for an extension’s response', () => {
  it('has JSON indented over several lines, with all numbers and strings unchanged', () => {
    const json = '{"a":[1,2.50,12345678901234567890],"b":{},"c":[ ],"d":"x\\\\\\"{[,","e":{"e":null}}';
    expect(indentJson(json)).toBe(
      [
        '{',
        '  "a": [',
        '    1,',
        '    2.50,',
        '    12345678901234567890',
        '  ],',
        '  "b": {},',
        '  "c": [],',
        '  "d": "x\\\\\\"{[,",',
        '  "e": {',
        '    "e": null',
        '  }',
        '}',
      ].join('\n'),
    );
    expect(indentJson(indentJson(json))).toBe(indentJson(json));
  });

  it.each(['', '{', ']]]', '"', '"\\', '{"a":"<b>', 'null', '\u0000'])(
    'keeps every character except white space, even of malformed JSON: %j',
    (text) => {
      expect(indentJson(text).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    },
  );

  it('is cut at the maximum length, however deeply the JSON is nested', () => {
    for (const text of ['['.repeat(1e6), '"'.repeat(1e6), '\\'.repeat(1e6), 'x'.repeat(1e6)]) {
      const shown = toShownText(text, 'application/json');
      expect(shown.text.length).toBeLessThanOrEqual(MOST_CHARACTERS);
      expect(shown.isCut).toBe(true);
    }
    expect(toShownText('a,b', 'text/csv')).toEqual({ text: 'a,b', isCut: false });
    expect(toShownText('{"a":1}', 'text/plain')).toEqual({ text: '{"a":1}', isCut: false });
  });
});

describe('the file of an extension’s response', () => {
  it.each([
    ['/v1/x/ledger', 'application/json', 'ledger.json'],
    ['/v1/x/ledger/2027.csv', 'text/csv', '2027.csv'],
    ['/v1/x/ledger/page', 'text/html', 'page.txt'],
    ['/v1/x/ledger/..%2f', 'image/png', '..2f.bin'],
  ])('for the path %s and the content type %s is named %s', (path, mediaType, name) => {
    expect(toFileName(path, { mediaType, text: mediaType === 'image/png' ? null : '' })).toBe(name);
  });

  it('has its size shown in bytes, kB or MB', () => {
    expect([0, 999, 1_000, 123_456, 5e6].map(describeSize)).toEqual([
      '0 bytes',
      '999 bytes',
      '1 kB',
      '123.5 kB',
      '5 MB',
    ]);
  });
});
