/*
 * Rules for a new migration. Processes of the version before go on working while it runs and until they are replaced:
 *
 * - Only add: tables, nullable columns, columns with a constant default, indexes. What is no longer used is dropped one
 *   version later. No new `not null`, `unique` or `check` that a writer of the version before could break.
 * - One migration is one transaction and one step: the runner applies and records them one by one, with a short
 *   `lock_timeout`, and attempts a step again that did not get its lock. So keep a step short: what it locks, requests
 *   wait for. Change each existing table in a step of its own.
 * - An index on an existing table is built with `create index concurrently if not exists`, in a migration that overrides
 *   `isTransactional()` to return false and does nothing else. A crash repeats it as a whole; the runner drops what was
 *   left unfinished of its indexes before.
 * - Rows of a large existing table are not rewritten in a migration: a column is filled by the service, in batches.
 * - A migration that was released is never changed.
 */
import { Migration20261121000100Auth } from './20261121-initial/migration-20261121000100-auth.js';
import { Migration20261121000200Watchlist } from './20261121-initial/migration-20261121000200-watchlist.js';
import { Migration20261121000300Notifications } from './20261121-initial/migration-20261121000300-notifications.js';
import { Migration20261121000400Channels } from './20261121-initial/migration-20261121000400-channels.js';
import { Migration20261121000500Budgets } from './20261121-initial/migration-20261121000500-budgets.js';
import { Migration20261121000600SharedLooks } from './20261121-initial/migration-20261121000600-shared-looks.js';
import { Migration20261121000700FairDeliveries } from './20261121-initial/migration-20261121000700-fair-deliveries.js';
import { Migration20261121000710EventOrder } from './20261121-initial/migration-20261121000710-event-order.js';
import { Migration20261121000800CarefulMail } from './20261121-initial/migration-20261121000800-careful-mail.js';
import { Migration20261121000820MailboxHours } from './20261121-scaling/migration-20261121000820-mailbox-hours.js';
import { Migration20261121000900Watching } from './20261121-scaling/migration-20261121000900-watching.js';
import { Migration20261121000910Batches } from './20261121-scaling/migration-20261121000910-batches.js';
import { Migration20261121000920Brakes } from './20261121-scaling/migration-20261121000920-brakes.js';
import { Migration20261121000930Revisions } from './20261121-scaling/migration-20261121000930-revisions.js';
import { Migration20261121000940RequestLimits } from './20261121-scaling/migration-20261121000940-request-limits.js';
import { Migration20261121000941Idempotency } from './20261121-scaling/migration-20261121000941-idempotency.js';
import { Migration20261121000960NextDeliveries } from './20261121-scaling/migration-20261121000960-next-deliveries.js';
import { Migration20261121000970PlanFloors } from './20261121-scaling/migration-20261121000970-plan-floors.js';
import { Migration20261121000971OperatorLoads } from './20261121-scaling/migration-20261121000971-operator-loads.js';
import { Migration20261121000980LightLeases } from './20261121-scaling/migration-20261121000980-light-leases.js';
import { Migration20261122000100LastAnswers } from './20261122/migration-20261122000100-last-answers.js';
import { Migration20261122000300KeyPages } from './20261122/migration-20261122000300-key-pages.js';
import { Migration20261122000310Suspensions } from './20261122/migration-20261122000310-suspensions.js';
import { Migration20261122000400EntrySortKeys } from './20261122/migration-20261122000400-entry-sort-keys.js';
import { Migration20261122000401NameSortKeys } from './20261122/migration-20261122000401-name-sort-keys.js';
import { Migration20261122000402FillSortKeys } from './20261122/migration-20261122000402-fill-sort-keys.js';
import { Migration20261122000403EntryCounts } from './20261122/migration-20261122000403-entry-counts.js';
import { Migration20261122000410SortIndexes } from './20261122/migration-20261122000410-sort-indexes.js';
import { Migration20261122000500MailSuppressions } from './20261122/migration-20261122000500-mail-suppressions.js';
import { Migration20261122000600ChannelSecrets } from './20261122/migration-20261122000600-channel-secrets.js';
import { Migration20261122000610Extensions } from './20261122/migration-20261122000610-extensions.js';
import { Migration20261122000620DropLists } from './20261122/migration-20261122000620-drop-lists.js';
import { Migration20261122000700VacuumNames } from './20261122/migration-20261122000700-vacuum-names.js';
import { Migration20261122000710Reminders } from './20261122/migration-20261122000710-reminders.js';
import { Migration20261122000720DeliveryReplays } from './20261122/migration-20261122000720-delivery-replays.js';
import { Migration20261122000730AccountDeletions } from './20261122/migration-20261122000730-account-deletions.js';
import { Migration20261122000800RegistrationRecords } from './20261122-additions/migration-20261122000800-registration-records.js';
import { Migration20261122000801RecordStates } from './20261122-additions/migration-20261122000801-record-states.js';
import { Migration20261122000802ExpectedRecords } from './20261122-additions/migration-20261122000802-expected-records.js';
import { Migration20261122000810AuditRecords } from './20261122-additions/migration-20261122000810-audit-records.js';
import { Migration20261122000820ChatDigests } from './20261122-additions/migration-20261122000820-chat-digests.js';
import { Migration20261122000840EventTraces } from './20261122-additions/migration-20261122000840-event-traces.js';
import { Migration20261122000850RecordChangeWindows } from './20261122-additions/migration-20261122000850-record-change-windows.js';
import { Migration20261122000860FirstCheckTraces } from './20261122-additions/migration-20261122000860-first-check-traces.js';
import { Migration20261122000870LightDeliveries } from './20261122-additions/migration-20261122000870-light-deliveries.js';
import { Migration20261123000100ClientRequestIds } from './20261123/migration-20261123000100-client-request-ids.js';
import { Migration20261123000300WatchlistImports } from './20261123/migration-20261123000300-watchlist-imports.js';
import { Migration20261123000310RemovedEntries } from './20261123/migration-20261123000310-removed-entries.js';
import { Migration20261123000500ChangeWindows } from './20261123/migration-20261123000500-change-windows.js';
import { Migration20261123000510UrgentMessages } from './20261123/migration-20261123000510-urgent-messages.js';
import { Migration20261123000620Delegations } from './20261123/migration-20261123000620-delegations.js';

/** In the order in which they are applied; a database that knows others was made by a later version. */
export const migrations = [
  { name: 'Migration20261121000100Auth', class: Migration20261121000100Auth },
  { name: 'Migration20261121000200Watchlist', class: Migration20261121000200Watchlist },
  { name: 'Migration20261121000300Notifications', class: Migration20261121000300Notifications },
  { name: 'Migration20261121000400Channels', class: Migration20261121000400Channels },
  { name: 'Migration20261121000500Budgets', class: Migration20261121000500Budgets },
  { name: 'Migration20261121000600SharedLooks', class: Migration20261121000600SharedLooks },
  { name: 'Migration20261121000700FairDeliveries', class: Migration20261121000700FairDeliveries },
  { name: 'Migration20261121000710EventOrder', class: Migration20261121000710EventOrder },
  { name: 'Migration20261121000800CarefulMail', class: Migration20261121000800CarefulMail },
  { name: 'Migration20261121000820MailboxHours', class: Migration20261121000820MailboxHours },
  { name: 'Migration20261121000900Watching', class: Migration20261121000900Watching },
  { name: 'Migration20261121000910Batches', class: Migration20261121000910Batches },
  { name: 'Migration20261121000920Brakes', class: Migration20261121000920Brakes },
  { name: 'Migration20261121000930Revisions', class: Migration20261121000930Revisions },
  { name: 'Migration20261121000940RequestLimits', class: Migration20261121000940RequestLimits },
  { name: 'Migration20261121000941Idempotency', class: Migration20261121000941Idempotency },
  { name: 'Migration20261121000960NextDeliveries', class: Migration20261121000960NextDeliveries },
  { name: 'Migration20261121000970PlanFloors', class: Migration20261121000970PlanFloors },
  { name: 'Migration20261121000971OperatorLoads', class: Migration20261121000971OperatorLoads },
  { name: 'Migration20261121000980LightLeases', class: Migration20261121000980LightLeases },
  { name: 'Migration20261122000100LastAnswers', class: Migration20261122000100LastAnswers },
  { name: 'Migration20261122000300KeyPages', class: Migration20261122000300KeyPages },
  { name: 'Migration20261122000310Suspensions', class: Migration20261122000310Suspensions },
  { name: 'Migration20261122000400EntrySortKeys', class: Migration20261122000400EntrySortKeys },
  { name: 'Migration20261122000401NameSortKeys', class: Migration20261122000401NameSortKeys },
  { name: 'Migration20261122000402FillSortKeys', class: Migration20261122000402FillSortKeys },
  { name: 'Migration20261122000403EntryCounts', class: Migration20261122000403EntryCounts },
  { name: 'Migration20261122000410SortIndexes', class: Migration20261122000410SortIndexes },
  { name: 'Migration20261122000500MailSuppressions', class: Migration20261122000500MailSuppressions },
  { name: 'Migration20261122000600ChannelSecrets', class: Migration20261122000600ChannelSecrets },
  { name: 'Migration20261122000610Extensions', class: Migration20261122000610Extensions },
  { name: 'Migration20261122000620DropLists', class: Migration20261122000620DropLists },
  { name: 'Migration20261122000700VacuumNames', class: Migration20261122000700VacuumNames },
  { name: 'Migration20261122000710Reminders', class: Migration20261122000710Reminders },
  { name: 'Migration20261122000720DeliveryReplays', class: Migration20261122000720DeliveryReplays },
  { name: 'Migration20261122000730AccountDeletions', class: Migration20261122000730AccountDeletions },
  { name: 'Migration20261122000800RegistrationRecords', class: Migration20261122000800RegistrationRecords },
  { name: 'Migration20261122000801RecordStates', class: Migration20261122000801RecordStates },
  { name: 'Migration20261122000802ExpectedRecords', class: Migration20261122000802ExpectedRecords },
  { name: 'Migration20261122000810AuditRecords', class: Migration20261122000810AuditRecords },
  { name: 'Migration20261122000820ChatDigests', class: Migration20261122000820ChatDigests },
  { name: 'Migration20261122000840EventTraces', class: Migration20261122000840EventTraces },
  { name: 'Migration20261122000850RecordChangeWindows', class: Migration20261122000850RecordChangeWindows },
  { name: 'Migration20261122000860FirstCheckTraces', class: Migration20261122000860FirstCheckTraces },
  { name: 'Migration20261122000870LightDeliveries', class: Migration20261122000870LightDeliveries },
  { name: 'Migration20261123000100ClientRequestIds', class: Migration20261123000100ClientRequestIds },
  { name: 'Migration20261123000300WatchlistImports', class: Migration20261123000300WatchlistImports },
  { name: 'Migration20261123000310RemovedEntries', class: Migration20261123000310RemovedEntries },
  { name: 'Migration20261123000500ChangeWindows', class: Migration20261123000500ChangeWindows },
  { name: 'Migration20261123000510UrgentMessages', class: Migration20261123000510UrgentMessages },
  { name: 'Migration20261123000620Delegations', class: Migration20261123000620Delegations },
];
