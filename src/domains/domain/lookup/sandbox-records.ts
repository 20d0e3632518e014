import { SECOND } from '../../../kernel/clock.js';
import type { EppStatus } from '../lifecycle/epp-status.js';
import { type RegistrationRecord, toRegistrationRecord } from '../record/registration-record.js';

/** What the simulated registry says beside the facts; by turns, for names that move. */
interface SandboxHolding {
  readonly nameservers: readonly string[];
  readonly registrar: { readonly name: string; readonly ianaId: string };
}

/** IANA keeps these ids for tests of registries. */
const SANDBOX_REGISTRAR: SandboxHolding = {
  nameservers: ['ns1.sandbox.test', 'ns2.sandbox.test'],
  registrar: { name: 'Sandbox Registrar', ianaId: '9995' },
};
const OTHER_REGISTRAR: SandboxHolding = {
  nameservers: ['ns1.elsewhere.test', 'ns2.elsewhere.test'],
  registrar: { name: 'Other Sandbox Registrar', ianaId: '9996' },
};
const DS = { keyTag: 12_345, algorithm: 13, digestType: 2, digest: '5A'.repeat(32) };

export function sandboxRecord(statuses: readonly EppStatus[]): RegistrationRecord {
  return toRegistrationRecord({ ...SANDBOX_REGISTRAR, statuses, ds: [DS] });
}

/** Every so many seconds the name is transferred to the other registrar, unlocked, with its name servers and unsigned. */
export function movingRecord(seconds: number, now: Date): RegistrationRecord {
  const turn = Math.floor(now.getTime() / (seconds * SECOND));
  const lastTransferAt = new Date(turn * seconds * SECOND);
  if (turn % 2 === 0)
    return toRegistrationRecord({
      ...SANDBOX_REGISTRAR,
      statuses: ['client transfer prohibited'],
      ds: [DS],
      lastTransferAt,
    });
  return toRegistrationRecord({ ...OTHER_REGISTRAR, statuses: ['active'], ds: [], lastTransferAt });
}
