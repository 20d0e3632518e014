import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from '../../../src/app/app.module.js';
import { Config } from '../../../src/config/config.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

/** A route of the other application, which says neither that it is public nor what scope it needs. */
@Controller()
class UnmarkedController {
  @Get('unmarked')
  show(): string {
    return 'a secret';
  }
}

class OtherModule {}

let service: TestService;
let other: NestFastifyApplication;
let operations: readonly Operation[];

beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  const { body } = await service.call({ path: '/openapi.json', key: null });
  operations = new ApiDocument(body).operations.filter(({ path }) => path.startsWith('/v1/'));
  const imports = [AppModule.forConfig(service.get(Config))];
  const module = { module: OtherModule, imports, controllers: [UnmarkedController] };
  other = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), { logger: false });
  await other.init();
  await other.getHttpAdapter().getInstance().ready();
});

afterAll(async () => {
  await other.close();
  await service.close();
});

describe('the service, mounted in another Nest application,', () => {
  it('refuses every operation under /v1 without a key, with a problem document', async () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const { method, path } of operations) {
      const url = path.replaceAll(/\{\w+\}/g, '0');
      const { statusCode, headers } = await other.inject({ method: method.toUpperCase() as 'GET', url });
      expect([method, path, statusCode, headers['content-type']]).toEqual([
        ...[method, path, 401, 'application/problem+json'],
      ]);
    }
  });

  it('refuses an invalid body, with the security headers of every response', async () => {
    const { statusCode, headers, body } = await other.inject({
      ...{ method: 'POST', url: '/v1/watchlist', payload: { domain: 'example.test', colour: 'red' } },
      headers: { authorization: `Bearer ${service.account.key}` },
    });
    expect([statusCode, JSON.parse(body)]).toMatchObject([400, { errors: [{ pointer: '/colour' }] }]);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-request-id': expect.any(String) });
  });

  it('refuses a route without access rules to everyone', async () => {
    const ask = (headers: Record<string, string>) => other.inject({ method: 'GET', url: '/unmarked', headers });
    const [stranger, caller] = [await ask({}), await ask({ authorization: `Bearer ${service.account.key}` })];
    expect([stranger.statusCode, caller.statusCode]).toEqual([401, 500]);
    expect(stranger.body + caller.body).not.toContain('secret');
  });
});
