import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDashboardBuilt, leadToMissingPage, serveDashboard } from '../../../../src/platform/http/dashboard.js';
import { addEtags } from '../../../../src/platform/http/hooks/conditional-requests.js';
import { rejectUnknownRoutes } from '../../../../src/platform/http/hooks/route-table.js';

let folder: string;
let fastify: FastifyInstance;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'namewatch-dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="./assets/index-1.js"></script>');
  writeFileSync(join(folder, 'assets/index-1.js'), 'start();');
  fastify = Fastify({
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: (_error, request, reply) => {
      if (!leadToMissingPage(request, reply)) reply.raw.writeHead(400).end();
    },
  });
  fastify.decorate('basePath', '/names');
  rejectUnknownRoutes(fastify);
  addEtags(fastify);
  await serveDashboard(fastify, folder);
});
afterAll(async () => {
  await fastify.close();
  rmSync(folder, { recursive: true });
});

describe('the dashboard', () => {
  it.each(['/ui', '/ui/', '/ui/names/example.com', '/ui/names/xn--bcher-kva.example'])(
    'serves its page at %s, with links that work there',
    async (url) => {
      const { statusCode, headers, body } = await fastify.inject(url);
      expect({ statusCode, body }).toEqual({
        statusCode: 200,
        body: '<script type="module" src="/names/ui/assets/index-1.js"></script>',
      });
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-cache',
      });
    },
  );

  it('sends headers that allow only its own scripts and forbid frames', async () => {
    const { headers } = await fastify.inject('/ui/');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it('answers 304 if the browser already has the current page', async () => {
    const { headers } = await fastify.inject('/ui/');
    const again = await fastify.inject({ url: '/ui/', headers: { 'if-none-match': String(headers['etag']) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('lets browsers cache files with a hash in their name for a year', async () => {
    const { headers, body } = await fastify.inject('/ui/assets/index-1.js');
    expect(body).toBe('start();');
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'application/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each(['/ui/assets/index-0.js', '/ui/assets/..%2findex.html', '/ui/assets/%2e%2e%2findex.html'])(
    'answers 403 or 404 for the path %s',
    async (url) => {
      expect([403, 404]).toContain((await fastify.inject(url)).statusCode);
    },
  );

  it('is where a request for the path / is redirected', async () => {
    expect(await fastify.inject('/')).toMatchObject({ statusCode: 302, headers: { location: '/names/ui/' } });
  });

  it.each([
    ['/ui/names/%E0%A4%A', 302, '/names/ui/not-found'],
    ['/v1/domains/%E0%A4%A', 400, undefined],
  ])('answers a path with an invalid escape, %s, with the status %i', async (url, statusCode, location) => {
    const answer = await fastify.inject(url);
    expect([answer.statusCode, answer.headers.location]).toEqual([statusCode, location]);
  });

  it('counts as not built if its folder has no index page', () => {
    expect([isDashboardBuilt(folder), isDashboardBuilt(join(folder, 'assets'))]).toEqual([true, false]);
  });
});
