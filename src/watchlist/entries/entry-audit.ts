import { type AuditAction, type AuditAttributes, type AuditEntry, diffAttributes } from '../../auth/index.js';
import { type FlatField, flattenSettings, toSettingFields } from '../domain/entry-settings.js';
import type { WatchEntry } from '../domain/watch-entry.js';

/** Audit records leave out notes: the records outlive their entries, and notes may contain private matters. */
export const NOTES = ['note', 'renewal_note'] as const satisfies readonly FlatField[];

export interface AuditedEntry {
  readonly attributes: AuditAttributes;
  readonly notes: Readonly<Record<(typeof NOTES)[number], unknown>>;
}

export function toAuditedEntry(entry: WatchEntry): AuditedEntry {
  const { note, renewal_note, ...attributes } = flattenSettings(toSettingFields(entry));
  return { attributes: attributes as AuditAttributes, notes: { note, renewal_note } };
}

export function entryAdded(entry: WatchEntry): AuditEntry {
  return entryAct('watchlist.added', entry, { after: { domain: entry.domain.ascii, ...attributesInUse(entry) } });
}

export function entryRemoved(entry: WatchEntry): AuditEntry {
  const { domain, status } = entry;
  return entryAct('watchlist.removed', entry, { before: { domain: domain.ascii, status, ...attributesInUse(entry) } });
}

/** Names the changed notes, but leaves out their text. Returns null if nothing changed. */
export function entryChanged(entry: WatchEntry, former: AuditedEntry): AuditEntry | null {
  const current = toAuditedEntry(entry);
  const changed = diffAttributes(former.attributes, current.attributes) ?? { before: {}, after: {} };
  const notes = NOTES.filter((name) => former.notes[name] !== current.notes[name]);
  const after: AuditAttributes = { ...changed.after, ...(notes.length > 0 && { changed_notes: notes }) };
  if (Object.keys({ ...changed.before, ...after }).length === 0) return null;
  const action = after['paused'] === undefined ? 'changed' : entry.paused ? 'paused' : 'resumed';
  return entryAct(`watchlist.${action}`, entry, {
    before: changed.before,
    after: { domain: entry.domain.ascii, ...after },
  });
}

function entryAct(action: AuditAction, { id, accountId }: WatchEntry, attributes: Partial<AuditEntry>): AuditEntry {
  return { action, accountId, targetId: id, ...attributes };
}

function attributesInUse(entry: WatchEntry): AuditAttributes {
  const all = Object.entries(toAuditedEntry(entry).attributes);
  return Object.fromEntries(
    all.filter(([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0)),
  );
}
