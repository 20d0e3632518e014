import type { DiagnosticResult } from '../platform/diagnostics.js';

/** Checks whether these master keys open every stored secret of a database. */
export async function checkStoredSecrets(url: string, masterKeys: readonly string[]): Promise<DiagnosticResult> {
  const { checkMasterKeys } = await import('../platform/diagnostics.js');
  const { missingSecretKeys } = await import('../notifications/index.js');
  const { MASTER_KEYS_IN_USE, findMissingMasterKeys } = await import('../platform/idempotency/idempotency-store.js');
  const { SecretBox } = await import('../platform/crypto/secret-box.js');
  const box = new SecretBox(masterKeys);
  return checkMasterKeys(url, [
    (run) => missingSecretKeys((text) => run(text), box),
    async (run) => {
      const [row] = await run<{ now: Date }>('select now() as now');
      return findMissingMasterKeys((values) => run(MASTER_KEYS_IN_USE.text, values), box, row?.now ?? new Date());
    },
  ]);
}
