/** The types of redis-server.mjs, which Jest loads before anything is compiled. */
export function redisForTests(): { readonly url?: string; readonly program?: string } | null;
export function startRedis(
  program: string,
  others?: readonly string[],
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
