import { describe, expect, it } from '@jest/globals';
import {
  HeaderNotAllowed,
  parseHeaderChanges,
  mergeHeaders,
} from '../../../../src/notifications/domain/custom-headers.js';

describe('the custom headers of a channel', () => {
  it('are stored under their lower-case names', () => {
    expect(parseHeaderChanges({ 'X-Token': 'a b', Authorization: 'Bearer x' })).toEqual({
      'x-token': 'a b',
      authorization: 'Bearer x',
    });
  });

  it.each([
    'Host',
    'Content-Type',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'TE',
    'upgrade',
    'expect',
    'cookie',
    'proxy-authorization',
    'webhook-id',
    'Webhook-Signature',
    'x-delivery-id',
    'keep-alive',
    'user-agent',
    '',
    'a b',
    'a:b',
    'x\r\nevil',
    'naïve',
    'x'.repeat(101),
    'x/y',
  ])('may not be called %j', (name) => {
    expect(() => parseHeaderChanges({ [name]: 'value' })).toThrow(HeaderNotAllowed);
  });

  it.each(['', ' a', 'a ', 'a\r\nBcc: b', 'a\nb', 'a\0b', 'ä', '\x7f', 'a'.repeat(4_097), 5, true, ['a'], {}])(
    'may not have the value %j',
    (value) => {
      expect(() => parseHeaderChanges({ 'x-token': value })).toThrow(HeaderNotAllowed);
    },
  );

  it('are refused if two names differ only in letter case', () => {
    expect(() => parseHeaderChanges({ 'X-A': '1', 'x-a': '2' })).toThrow(HeaderNotAllowed);
  });

  it('are refused with an error that names the invalid header', () => {
    const refused = (() => {
      try {
        return parseHeaderChanges({ 'x/~y': 'a' });
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toMatchObject({ code: 'invalid_request', details: { field: 'headers/x~1~0y' } });
  });

  it('keep their value if a change leaves them out, and are removed by null', () => {
    expect(mergeHeaders({ a: '1', b: '2' }, { b: null, c: '3', d: null })).toEqual({ a: '1', c: '3' });
  });

  it('are refused if there are more than ten', () => {
    const ten = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`x-${n}`, 'v']));
    expect(Object.keys(mergeHeaders(ten, { 'x-0': 'w' }))).toHaveLength(10);
    expect(() => mergeHeaders(ten, { 'x-10': 'v' })).toThrow(HeaderNotAllowed);
  });
});
