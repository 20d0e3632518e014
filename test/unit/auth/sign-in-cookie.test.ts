import { describe, expect, it } from '@jest/globals';
import { parseSetCookie } from 'cookie';
import { SignInCookie, toReturnPath } from '../../../src/auth/sign-in/sign-in-cookie.js';
import { MINUTE } from '../../../src/kernel/clock.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';
import { TestClock } from '../../support/fakes/test-clock.js';

const BEGUN = { state: 's', nonce: 'n', verifier: 'v', returnPath: '/ui/agenda', invitation: null };
const clock = new TestClock();
const box = new SecretBox(SecretBox.generateKey());
const cookieAt = (publicUrl: string) => new SignInCookie(box, clock, publicUrl);
const sent = (setCookie: string) => setCookie.replace(/;.*/, '');

describe('the cookie of an unfinished sign-in', () => {
  it.each([
    ['https://names.example', '__Host-namewatch-sign-in', '/', true],
    ['https://names.example/', '__Host-namewatch-sign-in', '/', true],
    ['https://example.test/names/', '__Secure-namewatch-sign-in', '/names/', true],
    ['http://127.0.0.1:3000/', 'namewatch-sign-in', '/', undefined],
  ])('has the strictest attributes that browsers allow for PUBLIC_URL %s', (publicUrl, name, path, secure) => {
    const set = parseSetCookie(cookieAt(publicUrl).set(BEGUN));
    expect(set).toMatchObject({ name, path, maxAge: 600, httpOnly: true, sameSite: 'lax' });
    expect(set.secure).toBe(secure);
    expect(set.domain).toBe(undefined);
    expect(parseSetCookie(cookieAt(publicUrl).clear())).toMatchObject({ name, path, value: '', maxAge: 0 });
  });

  it('gives back the sign-in for ten minutes, even when sent among other cookies', () => {
    const cookie = cookieAt('https://names.example');
    const value = sent(cookie.set(BEGUN));
    expect(cookie.read(`other=1; ${value}; namewatch-sign-in=x`)).toEqual(BEGUN);
    clock.advance(10 * MINUTE - 1);
    expect(cookie.read(value)).toEqual(BEGUN);
    clock.advance(1);
    expect(cookie.read(value)).toBe(null);
  });

  it.each([
    undefined,
    '',
    '__Host-namewatch-sign-in=',
    '__Host-namewatch-sign-in=forged',
    '__Host-namewatch-sign-in=a.b',
  ])('is ignored if the browser sends this Cookie header: %j', (cookies) =>
    expect(cookieAt('https://names.example').read(cookies)).toBe(null),
  );
});

describe('the page to which a sign-in returns', () => {
  it.each(['/ui/', '/ui/names/example.com?removed=wl_1', '/ui/agenda#today'])('is the requested page %s', (path) => {
    expect(toReturnPath(path)).toBe(path);
  });

  it('is in the dashboard even if the requested path has dots, slashes or line breaks', () => {
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
  ])('is the watchlist if this page is requested: %j', (wanted) => {
    expect(toReturnPath(wanted)).toBe('/ui/');
  });
});
