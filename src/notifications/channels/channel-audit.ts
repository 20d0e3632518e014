import { type AuditAction, type AuditAttributes, type AuditEntry, diffAttributes } from '../../auth/index.js';
import type { HeaderChanges } from '../domain/custom-headers.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { maskTarget } from '../domain/target.js';

/** Returns the settings for the audit log. Shows only a target's host, since the rest may be secret or personal. */
export function toAuditAttributes(channel: NotificationChannel): AuditAttributes {
  const { type, label, eventTypes, tags, headers, active, reason, summary } = channel;
  return {
    type,
    label,
    target: toMaskedTarget(channel),
    event_types: eventTypes,
    tags,
    headers: Object.keys(headers).sort(),
    active,
    reason,
    summary: summary && `every ${summary.every} on day ${summary.on} at ${summary.at}, ${summary.zone}`,
  };
}

export function channelEntry(
  action: AuditAction,
  { id, accountId }: NotificationChannel,
  attributes: { readonly before?: AuditAttributes; readonly after?: AuditAttributes } = {},
): AuditEntry {
  return { action, accountId, targetId: id, ...attributes };
}

/** Returns the audit entry for a change, without values of headers or credentials. Returns null if nothing changed. */
export function channelChangedEntry(
  channel: NotificationChannel,
  before: AuditAttributes,
  { headers, credential }: { readonly headers: HeaderChanges; readonly credential: string | null },
): AuditEntry | null {
  const changed = diffAttributes(before, toAuditAttributes(channel)) ?? { before: {}, after: {} };
  const changedHeaders = Object.keys(headers).sort();
  const given = {
    ...(changedHeaders.length > 0 && { changed_headers: changedHeaders }),
    ...(credential !== null && { credential: 'replaced' }),
  };
  const after = { ...changed.after, ...given };
  if (Object.keys({ ...changed.before, ...after }).length === 0) return null;
  return channelEntry('channel.changed', channel, { before: changed.before, after });
}

function toMaskedTarget({ type, target, canonicalTarget, host, sealedTarget }: NotificationChannel): string {
  if (sealedTarget !== null) return target;
  if (type === 'email') return `…${canonicalTarget.slice(canonicalTarget.lastIndexOf('@'))}`;
  return maskTarget({ asSent: target, canonical: canonicalTarget, ...(host !== type && { host }) });
}
