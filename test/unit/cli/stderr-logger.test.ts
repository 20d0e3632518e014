import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { logToStderr } from '../../../src/cli/terminal.js';

afterEach(() => {
  jest.restoreAllMocks();
  Logger.overrideLogger(['log', 'warn', 'error', 'fatal']);
});

describe('The log of a command', () => {
  it.each<[string, unknown]>([
    ['database is slow', 'database is slow'],
    ['database is slow', new Error('database is slow')],
  ])('is one line on stderr: %s', async (line, message) => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    Logger.overrideLogger(await logToStderr());
    new Logger('Pool').warn(message);
    expect(written.mock.calls).toEqual([[`warning: ${line}`]]);
  });

  it('says what happened where the line begins with fields', async () => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    Logger.overrideLogger(await logToStderr());
    new Logger('Deliver').error({ delivery: 'dl_1' }, 'attempt not recorded');
    expect(written.mock.calls).toEqual([['error: attempt not recorded']]);
  });
});
