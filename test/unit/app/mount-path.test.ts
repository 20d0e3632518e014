import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { MountPath } from '../../../src/app/mounted-namewatch.js';
import { readConfig } from '../../../src/config/config.js';

const requestOf = (url: string) => ({ url }) as IncomingMessage & { originalUrl?: string };

describe('the mount path in a host application', () => {
  it.each([
    ['/names/v1/me?a=b', '/v1/me?a=b'],
    ['/names', '/'],
    ['/names/', '/'],
    ['/names?a=/names', '/?a=/names'],
    ['http://host.example/names/v1', '/v1'],
    ['HTTPS://host.example:8443/names', '/'],
    ['/names//v1', '//v1'],
    ['/names/../admin', '/../admin'],
  ])('is removed from the request URL %s', (url, rest) => {
    const request = requestOf(url);
    expect(MountPath.parse('/names').removeFrom(request)).toBe(true);
    expect(request).toEqual({ url: rest, originalUrl: url });
  });

  it.each([
    '/',
    '/namesake',
    '/Names/v1',
    '//names/v1',
    '/api/names',
    '*',
    '/%6eames',
    'http://names/v1',
    '/x?u=/names',
  ])('leaves the request URL %s to the host application', (url) => {
    const request = requestOf(url);
    expect(MountPath.parse('/names').removeFrom(request)).toBe(false);
    expect(request).toEqual({ url });
  });

  it.each(['', '/', 'names', '/names/', '/a//b', '/a/../b', '/a b', '/a?b', '/:id', '/*', '/%6e'])(
    'cannot be %j',
    (text) => {
      expect(() => MountPath.parse(text)).toThrow('the path of Namewatch must be one such as /names');
    },
  );

  it('is appended to the path of PUBLIC_URL', () => {
    const settings = (env: Record<string, string>) => {
      const { basePath, publicUrl } = readConfig(env).withMountPath('/names');
      return [basePath, publicUrl];
    };
    expect(settings({})).toEqual(['/names', null]);
    expect(settings({ PUBLIC_URL: 'https://app.example' })).toEqual(['/names', 'https://app.example/names']);
    expect(settings({ PUBLIC_URL: 'https://x.example/app/' })).toEqual(['/app/names', 'https://x.example/app/names']);
  });
});
