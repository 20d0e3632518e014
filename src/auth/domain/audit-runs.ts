import { AUDIT_ACTIONS, type AuditAction } from './audit-actions.js';
import type { AuditAttributes, AuditRecord } from './audit-record.js';

/** Returns the id of the bulk run, such as an import, that wrote this record. Returns null for other records. */
export function runOf({ action, targetId }: Pick<AuditRecord, 'action' | 'targetId'>): string | null {
  return AUDIT_ACTIONS[action as AuditAction] === 'run' ? targetId : null;
}

/** Joins the records of each bulk run, such as an import, into one record. Adds up their counts. */
export function joinRuns<Viewed extends Pick<AuditRecord, 'action' | 'targetId' | 'after'>>(
  records: readonly Viewed[],
): Viewed[] {
  const joined = new Map<unknown, Viewed>();
  for (const record of records) {
    const key = runOf(record) ?? record;
    const former = joined.get(key);
    joined.set(key, former ? { ...former, after: sum(former.after, record.after) } : record);
  }
  return [...joined.values()];
}

const COUNTS: ReadonlySet<string> = new Set(['created', 'changed', 'removed']);

function sum(one: AuditAttributes | null, other: AuditAttributes | null): AuditAttributes {
  const added = Object.entries(other ?? {}).filter(([name]) => COUNTS.has(name));
  return { ...one, ...Object.fromEntries(added.map(([name, n]) => [name, Number(one?.[name] ?? 0) + Number(n)])) };
}
