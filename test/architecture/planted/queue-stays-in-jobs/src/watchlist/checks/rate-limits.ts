// Breaks the rule: Redis behind the platform’s back.
import { Redis } from 'ioredis';

export const rateLimits = Redis;
