import { type EppStatus, isEppStatus } from '../lifecycle/epp-status.js';

const TRANSFER_LOCKS = ['client transfer prohibited', 'server transfer prohibited'];

/** Whether registrar or registry lock the name against transfers; null where the registry has statuses of its own. */
export function isTransferLocked(statuses: readonly EppStatus[] | null): boolean | null {
  if (statuses?.some((status) => TRANSFER_LOCKS.includes(status))) return true;
  return statuses?.some(isEppStatus) ? false : null;
}
