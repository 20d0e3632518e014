import { isAhead, limitLeases, putBackRepair } from '../platform/database/put-back-repair.js';

const DELIVERIES = putBackRepair(
  'deliveries',
  `update deliveries d set next_attempt_at = given.now + greatest(interval '0', d.next_attempt_at - late.last_at)
     from given, lateral (
       select d.id, greatest(d.created_at, (select max(a.started_at) from delivery_attempts a where a.delivery_id = d.id)) as last_at
       from deliveries d where d.state = 'pending' and ${isAhead('d.next_attempt_at')}) late
     where d.id = late.id and ${isAhead('late.last_at')}`,
);

/** Summaries come at least once a month, so a time over 32 days ahead is from before the clock was put back. */
const SUMMARIES = putBackRepair(
  'summaries',
  `update notification_channels set next_summary_at = given.now
     from given where next_summary_at > given.now + interval '32 days'`,
);

export const NOTIFICATION_REPAIRS = [
  limitLeases('mail_outbox', 'lease_until'),
  limitLeases('channel_leases', 'until'),
  limitLeases('event_stream_slots', 'until', 60),
  DELIVERIES,
  SUMMARIES,
];
