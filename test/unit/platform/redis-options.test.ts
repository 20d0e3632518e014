import { describe, expect, it } from '@jest/globals';
import { explainRedisError, findRedisMistake } from '../../../src/platform/redis/explain-redis-error.js';
import { redisOptions } from '../../../src/platform/redis/redis-options.js';

const errorWith = (message: string, code?: string) => Object.assign(new Error(message), { code });

describe('the setting REDIS_URL', () => {
  it('gives the address, login and database of a single Redis', () => {
    expect(redisOptions('redis://user:p%40ss@[::1]/3', {})).toMatchObject({
      host: '::1',
      port: 6379,
      username: 'user',
      password: 'p@ss',
      db: 3,
    });
    expect(redisOptions('redis://10.0.0.1:7000', {})).toMatchObject({ host: '10.0.0.1', port: 7000, db: 0 });
    expect(redisOptions('redis://10.0.0.1', {})).not.toHaveProperty('tls');
  });

  it('gives the addresses of Sentinels, the name of the primary and both logins', () => {
    const options = redisOptions(
      'rediss+sentinel://user:secret@one/main/2?hosts=one%2Ctwo%3A7000&sentinel_username=s&sentinel_password=t',
      {},
    );
    expect(options).toMatchObject({
      sentinels: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 7000 },
      ],
      name: 'main',
      db: 2,
      password: 'secret',
      sentinelUsername: 's',
      sentinelPassword: 't',
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    });
    expect(options).not.toHaveProperty('host');
  });

  it('is refused if it names a TLS file that does not exist', () => {
    expect(() => redisOptions('rediss://h?sslrootcert=/missing/ca.pem', {})).toThrow(
      /^REDIS_URL: cannot read its TLS file: .*\/missing\/ca\.pem/,
    );
  });
});

describe('an error from Redis', () => {
  const url = 'redis+sentinel://user:hunter2@one/main?hosts=one%3A1%2Ctwo%3A2';

  it.each([
    [errorWith('certificate has expired', 'CERT_HAS_EXPIRED'), /the certificate of one:1,two:2 .* is not trusted/],
    [errorWith('WRONGPASS invalid username-password pair'), /one:1,two:2 refuses the login: WRONGPASS/],
    [errorWith('got an invalid reply: null'), /the Sentinels at one:1,two:2 know no primary named "main"/],
  ])('is explained as a mistake that somebody has to fix: %s', (error, sentence) => {
    expect(findRedisMistake(error, url)).toMatch(sentence);
    expect(explainRedisError(error, url)).toMatch(sentence);
  });

  it('does not count as a mistake to fix if it may pass by itself', () => {
    const refused = errorWith('connect ECONNREFUSED', 'ECONNREFUSED');
    expect(findRedisMistake(refused, url)).toBeNull();
    expect(explainRedisError(refused, url)).toMatch(/^REDIS_URL: nothing is listening at one:1,two:2 /);
    expect(findRedisMistake(errorWith('Command timed out'), url)).toBeNull();
  });
});
