/** A database of its own on the run's Redis for each Jest worker, since queues have the same names in all of them. */
export function testRedis(): string {
  const { TEST_REDIS_URL: url, JEST_WORKER_ID: worker } = process.env;
  if (!url) throw new Error('TEST_REDIS_URL is not set: run the tests with "npm test", which starts a Redis');
  return `${url.replace(/\/\d*$/, '')}/${worker ?? '0'}`;
}
