import { testRedis } from '../../support/servers/test-redis.js';
import { sharesBudgets } from './shared-budget-suite.js';

sharesBudgets('Redis', () => ({ REDIS_URL: testRedis() }));
