import { expect, it } from '@jest/globals';
import { toReachableUrl } from '../../../src/platform/listen.js';

it.each([
  { address: '0.0.0.0', family: 'IPv4', url: 'http://127.0.0.1:3000' },
  { address: '::', family: 'IPv6', url: 'http://127.0.0.1:3000' },
  { address: '127.0.0.1', family: 'IPv4', url: 'http://127.0.0.1:3000' },
  { address: '::1', family: 'IPv6', url: 'http://[::1]:3000' },
  { address: '2001:db8::7', family: 'IPv6', url: 'http://[2001:db8::7]:3000' },
])('a service that listens on $address gives its address as $url', ({ url, ...listening }) => {
  expect(toReachableUrl({ ...listening, port: 3_000 })).toBe(url);
});
