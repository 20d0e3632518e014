import { describe, expect, it } from '@jest/globals';
import { findClusterProblem } from '../../../src/platform/redis/redis-connection.js';

const answering = (text: string) => ({ info: () => Promise.resolve(text) }) as never;

describe('a Redis', () => {
  it('in cluster mode is refused in one sentence: the keys of a queue have to be on one server', async () => {
    expect(await findClusterProblem(answering('# Cluster\r\ncluster_enabled:1\r\n'))).toBe(
      'REDIS_URL: this is a Redis Cluster, where the keys of a queue lie on several servers: name a Redis without cluster mode',
    );
  });

  it.each(['# Cluster\r\ncluster_enabled:0\r\n', ''])('that reports %j is not taken for a cluster', async (facts) => {
    expect(await findClusterProblem(answering(facts))).toBe(null);
  });

  it('that does not report its mode is taken for one server', async () => {
    expect(await findClusterProblem({ info: () => Promise.reject(new Error('NOPERM')) })).toBe(null);
  });
});
