import { describe, expect, it, afterEach, jest } from '@jest/globals';
import fc from 'fast-check';
import { Logger } from '@nestjs/common';
import { toPrintable, toPrintableJson, toPrintableLines, logToStderr } from '../../../src/cli/terminal.js';

const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const anyText = fc.string({ unit: 'binary' });

describe('printed text', () => {
  it('has no character that moves the cursor, reverses the text or is invisible', () => {
    fc.assert(fc.property(anyText, (text) => expect(toPrintable(text)).not.toMatch(UNPRINTABLE)));
    expect(toPrintable('a\u001b[2J\u009b31m\u202eb')).toBe(String.raw`a\u{1b}[2J\u{9b}31m\u{202e}b`);
  });

  it('keeps line feeds, and escapes carriage returns', () => {
    expect(toPrintableLines('one\ntwo\rthree')).toBe('one\ntwo\\u{d}three');
  });

  it('has the same value when it is printed as JSON and parsed', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = toPrintableJson({ [text]: text });
        expect(json).not.toMatch(UNPRINTABLE);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  Logger.overrideLogger(['log', 'warn', 'error', 'fatal']);
});

describe('the log of a command', () => {
  it.each<[string, unknown]>([
    ['database is slow', 'database is slow'],
    ['database is slow', new Error('database is slow')],
  ])('is one line on stderr, from a text or an error (case %#)', async (line, message) => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await logToStderr();
    new Logger('Pool').warn(message);
    expect(written.mock.calls).toEqual([[`warning: ${line}`]]);
  });

  it('shows only the message if a log call also has fields', async () => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    await logToStderr();
    new Logger('Deliver').error({ delivery: 'dl_1' }, 'attempt not recorded');
    expect(written.mock.calls).toEqual([['error: attempt not recorded']]);
  });
});
