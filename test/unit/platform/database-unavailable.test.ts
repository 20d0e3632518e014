import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnavailable } from '../../../src/platform/database/database-unavailable.js';

const failed = (code: string) => new Error('no', { cause: Object.assign(new Error('why'), { code }) });

describe('an error from the database', () => {
  it.each([
    '08000',
    '08003',
    '08006',
    '57P01',
    '57P03',
    '53300',
    '53100',
    '53200',
    '53400',
    '25006',
    '28P01',
    'ECONNREFUSED',
  ])('counts as an outage of the database with the code %s', (code) =>
    expect(isDatabaseUnavailable(failed(code))).toBe(true),
  );

  it.each(['57014', '55P03', '40P01', '40001', '25P03', '25P04'])(
    'counts as an outage if the database gave up and the work may succeed later: code %s',
    (code) => expect(isDatabaseUnavailable(failed(code))).toBe(true),
  );

  it.each(['08P01', '22P02', '22021', '23505', '42601', '25P02'])(
    'counts as a mistake in the statement, not as an outage, with the code %s',
    (code) => expect(isDatabaseUnavailable(failed(code))).toBe(false),
  );
});
