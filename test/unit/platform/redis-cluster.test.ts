import { describe, expect, it } from '@jest/globals';
import { findClusterProblem } from '../../../src/platform/redis/redis-connection.js';

const answering = (text: string) => ({ info: () => Promise.resolve(text) }) as never;

describe('a Redis server', () => {
  it('is refused in cluster mode, with a sentence that says why and what to do', async () => {
    expect(await findClusterProblem(answering('# Cluster\r\ncluster_enabled:1\r\n'))).toBe(
      'REDIS_URL: this is a Redis Cluster, where the keys of a queue lie on several servers: name a Redis without cluster mode',
    );
  });

  it.each(['# Cluster\r\ncluster_enabled:0\r\n', ''])(
    'is accepted if it reports no cluster mode: %j',
    async (facts) => {
      expect(await findClusterProblem(answering(facts))).toBe(null);
    },
  );

  it('is accepted if it does not report its mode', async () => {
    expect(await findClusterProblem({ info: () => Promise.reject(new Error('NOPERM')) })).toBe(null);
  });
});
