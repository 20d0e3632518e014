import { describe, expect, it } from '@jest/globals';
import { toReturnPath } from '../../../src/auth/sign-in/sign-in-cookie.js';

describe('where a sign-in leads back to', () => {
  it.each(['/ui/', '/ui/names/example.com?removed=wl_1', '/ui/agenda#today'])('is %s', (path) => {
    expect(toReturnPath(path)).toBe(path);
  });

  it('is a path of the dashboard also with dots, slashes and line breaks that a browser leaves out', () => {
    expect(toReturnPath('/ui/a/../agenda')).toBe('/ui/agenda');
    expect(toReturnPath('/ui/\n//evil.example')).toBe('/ui///evil.example');
  });

  it.each([
    'https://evil.example/',
    '//evil.example/ui/',
    '/\\evil.example/ui/',
    '\\\\evil.example/ui/',
    'ui/',
    '/ui',
    '/uix',
    '/ui@evil.example/',
    '/ui/..//evil.example/',
    '/ui/..\\\\evil.example/',
    '/ui/../../\\evil.example/',
    '/ui/%2e%2e//evil.example',
    '/ui/.%2E/v1/me',
    '/v1/me',
    '/sign-in',
    ' /ui/',
    'javascript:alert(1)',
    '',
    `/ui/${'a'.repeat(2_000)}`,
    ['/ui/', '/ui/agenda'],
    undefined,
  ])('is the watchlist instead of %j', (wanted) => {
    expect(toReturnPath(wanted)).toBe('/ui/');
  });
});
