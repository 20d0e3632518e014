import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fastify from 'fastify';
import { warnAboutUntrustedProxy } from '../../../../src/platform/http/hooks/connections.js';

describe('X-Forwarded-For', () => {
  afterEach(() => void jest.restoreAllMocks());

  const warningsOf = async (trustProxy: boolean | string[], forwarded: readonly (string | undefined)[]) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const app = fastify({ trustProxy });
    warnAboutUntrustedProxy(app);
    app.get('/', () => 'here');
    for (const address of forwarded)
      await app.inject({ url: '/', remoteAddress: '10.0.0.1', headers: address ? { 'x-forwarded-for': address } : {} });
    await app.close();
    return warn.mock.calls.map(([text]) => String(text));
  };

  it('is warned about once when no proxy is trusted', async () => {
    const warnings = await warningsOf(false, [undefined, '192.0.2.1', '192.0.2.2']);
    expect(warnings).toEqual([expect.stringMatching(/from 10\.0\.0\.1 is ignored.*set TRUST_PROXY/)]);
  });

  it('is warned about when another proxy is trusted than the one that sent it', async () => {
    expect(await warningsOf(['10.0.0.2'], ['192.0.2.1'])).toHaveLength(1);
  });

  it('causes no warning when its proxy is trusted, or it is absent', async () => {
    expect(await warningsOf(['10.0.0.0/8'], ['192.0.2.1'])).toEqual([]);
    expect(await warningsOf(false, [undefined])).toEqual([]);
  });
});
