export default async function globalTeardown() {
  for (const stop of globalThis.stopTestServers ?? []) await stop();
}
