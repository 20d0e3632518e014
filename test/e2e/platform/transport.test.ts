import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
});
afterAll(() => service.close());

const CLOSED = "default-src 'none'; frame-ancestors 'none'";

describe('every answer', () => {
  it.each<[string, Call, number]>([
    ['a result', { path: '/v1/domains/check?domain=available.test' }, 200],
    ['a refusal', { path: '/v1/watchlist', key: null }, 401],
    ['an unknown path', { path: '/nothing' }, 404],
    ['a probe', { path: '/livez', key: null }, 200],
    ['a URL that cannot be read', { path: '/v1/%', key: null }, 400],
  ])('is for no browser to run, load, frame or guess at: %s', async (_what, call, status) => {
    const answer = await service.call(call);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'content-security-policy': CLOSED,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    });
  });

  it('is for no page of another origin to read', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    const answers: Answer[] = [
      await service.call({ path: '/v1/watchlist', headers }),
      await service.call({ method: 'OPTIONS', path: '/v1/watchlist', headers, key: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 405]);
    for (const { headers: sent } of answers)
      expect(Object.keys(sent).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('pages', () => {
  it('say what they may load, and the page of a problem loads nothing but its own style', async () => {
    const page = await service.call({ path: '/problems/rate_limited', key: null });
    const style = /<style>([^<]*)<\/style>/.exec(String(page.body['text']))?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(page.headers['content-security-policy']).toContain(`style-src 'sha256-${digest}'`);
    expect(page.body['text']).not.toContain(' style=');
  });

  it('let the console run the scripts that come from here, and call here', async () => {
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui-init.js']) {
      const { status, headers } = await service.call({ path, key: null });
      expect(status).toBe(200);
      const policy = headers['content-security-policy'] ?? '';
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
        expect(policy).toContain(part);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    const page = await service.call({ path: '/docs', key: null });
    expect(page.body['text']).not.toMatch(/<script>|(src|href)=['"]?(https?:)?\/\//);
  });
});
