import { Migration20261126120000Baseline } from './migration-20261126120000-baseline.js';
import {
  Migration20261126190000ChannelLabels,
  Migration20261126190100UniqueChannelLabels,
} from './migration-20261126190000-channel-labels.js';
import { Migration20261126200000CalendarAddresses } from './migration-20261126200000-calendar-addresses.js';
import {
  Migration20261126210000Summaries,
  Migration20261126210100DueSummaries,
} from './migration-20261126210000-summaries.js';
import {
  Migration20261127100000EntryColumns,
  Migration20261127100100FailingNames,
  Migration20261127100200DriftingRecords,
  Migration20261127100300FillEntryColumns,
  Migration20261127100400EntriesNeedingAction,
  Migration20261127100500EntriesByText,
  Migration20261127100600EntriesWithLongText,
  Migration20261127100700ExpiringEntries,
} from './migration-20261127100000-finding.js';
import { Migration20261128100000People } from './migration-20261128100000-people.js';
import {
  Migration20261129100000ImportedEntries,
  Migration20261129100100EntriesByImport,
  Migration20261129100200BulkRuns,
} from './migration-20261129100000-many-entries.js';
import {
  Migration20261130100000InvitationMails,
  Migration20261130100100DueInvitationMails,
} from './migration-20261130100000-invitation-mails.js';
import {
  Migration20261202100000OperatorAccount,
  Migration20261202100100WhatWasMeant,
} from './migration-20261202100000-accounts-and-people.js';
import {
  Migration20261204100000RegistryLimits,
  Migration20261204100100WithoutTokensAndSlots,
} from './migration-20261204100000-registry-limits.js';
import {
  Migration20261206100000TracesOfNames,
  Migration20261206100100ClockSteps,
} from './migration-20261206100000-upkeep.js';
import { Migration20261207100000Testimony } from './migration-20261207100000-testimony.js';
import {
  Migration20261208100000WithoutOperatorLoads,
  Migration20261208110000FollowedAccounts,
} from './migration-20261208100000-read-not-rewritten.js';
import { Migration20261207110000OwnFacts } from './migration-20261207110000-own-facts.js';
import { Migration20261209100000Runs } from './migration-20261209100000-runs.js';
import {
  Migration20261210100000ChannelLeases,
  Migration20261210100100PendingDeliveries,
  Migration20261210100200DueDeliveries,
} from './migration-20261210100000-channel-leases.js';
import { Migration20261211100000WithoutMassChanges } from './migration-20261211100000-without-mass-changes.js';
import { Migration20261212100000ReplayAtOnce } from './migration-20261212100000-replay-at-once.js';
import { Migration20261213100000FirstAnswers } from './migration-20261213100000-first-answers.js';
import { Migration20261213200000DataKey } from './migration-20261213200000-data-key.js';
import { Migration20261213210000Processes } from './migration-20261213210000-processes.js';
import {
  Migration20261214100000WithoutTriggers,
  Migration20261214100100EntriesWithLongText,
  Migration20261214100200HistoryStays,
} from './migration-20261214100000-plain-tables.js';
import { Migration20261215100000Purpose } from './migration-20261215100000-purpose.js';

/** In the order in which they are applied; docs/database.md has the rules for a new one. */
export const migrations = [
  { name: 'Migration20261126120000Baseline', class: Migration20261126120000Baseline },
  { name: 'Migration20261126190000ChannelLabels', class: Migration20261126190000ChannelLabels },
  { name: 'Migration20261126190100UniqueChannelLabels', class: Migration20261126190100UniqueChannelLabels },
  { name: 'Migration20261126200000CalendarAddresses', class: Migration20261126200000CalendarAddresses },
  { name: 'Migration20261126210000Summaries', class: Migration20261126210000Summaries },
  { name: 'Migration20261126210100DueSummaries', class: Migration20261126210100DueSummaries },
  { name: 'Migration20261127100000EntryColumns', class: Migration20261127100000EntryColumns },
  { name: 'Migration20261127100100FailingNames', class: Migration20261127100100FailingNames },
  { name: 'Migration20261127100200DriftingRecords', class: Migration20261127100200DriftingRecords },
  { name: 'Migration20261127100300FillEntryColumns', class: Migration20261127100300FillEntryColumns },
  { name: 'Migration20261127100400EntriesNeedingAction', class: Migration20261127100400EntriesNeedingAction },
  { name: 'Migration20261127100500EntriesByText', class: Migration20261127100500EntriesByText },
  { name: 'Migration20261127100600EntriesWithLongText', class: Migration20261127100600EntriesWithLongText },
  { name: 'Migration20261127100700ExpiringEntries', class: Migration20261127100700ExpiringEntries },
  { name: 'Migration20261128100000People', class: Migration20261128100000People },
  { name: 'Migration20261129100000ImportedEntries', class: Migration20261129100000ImportedEntries },
  { name: 'Migration20261129100100EntriesByImport', class: Migration20261129100100EntriesByImport },
  { name: 'Migration20261129100200BulkRuns', class: Migration20261129100200BulkRuns },
  { name: 'Migration20261130100000InvitationMails', class: Migration20261130100000InvitationMails },
  { name: 'Migration20261130100100DueInvitationMails', class: Migration20261130100100DueInvitationMails },
  { name: 'Migration20261202100000OperatorAccount', class: Migration20261202100000OperatorAccount },
  { name: 'Migration20261202100100WhatWasMeant', class: Migration20261202100100WhatWasMeant },
  { name: 'Migration20261204100000RegistryLimits', class: Migration20261204100000RegistryLimits },
  { name: 'Migration20261204100100WithoutTokensAndSlots', class: Migration20261204100100WithoutTokensAndSlots },
  { name: 'Migration20261206100000TracesOfNames', class: Migration20261206100000TracesOfNames },
  { name: 'Migration20261206100100ClockSteps', class: Migration20261206100100ClockSteps },
  { name: 'Migration20261207100000Testimony', class: Migration20261207100000Testimony },
  { name: 'Migration20261207110000OwnFacts', class: Migration20261207110000OwnFacts },
  { name: 'Migration20261208100000WithoutOperatorLoads', class: Migration20261208100000WithoutOperatorLoads },
  { name: 'Migration20261208110000FollowedAccounts', class: Migration20261208110000FollowedAccounts },
  { name: 'Migration20261209100000Runs', class: Migration20261209100000Runs },
  { name: 'Migration20261210100000ChannelLeases', class: Migration20261210100000ChannelLeases },
  { name: 'Migration20261210100100PendingDeliveries', class: Migration20261210100100PendingDeliveries },
  { name: 'Migration20261210100200DueDeliveries', class: Migration20261210100200DueDeliveries },
  { name: 'Migration20261211100000WithoutMassChanges', class: Migration20261211100000WithoutMassChanges },
  { name: 'Migration20261212100000ReplayAtOnce', class: Migration20261212100000ReplayAtOnce },
  { name: 'Migration20261213100000FirstAnswers', class: Migration20261213100000FirstAnswers },
  { name: 'Migration20261213200000DataKey', class: Migration20261213200000DataKey },
  { name: 'Migration20261213210000Processes', class: Migration20261213210000Processes },
  { name: 'Migration20261214100000WithoutTriggers', class: Migration20261214100000WithoutTriggers },
  { name: 'Migration20261214100100EntriesWithLongText', class: Migration20261214100100EntriesWithLongText },
  { name: 'Migration20261214100200HistoryStays', class: Migration20261214100200HistoryStays },
  { name: 'Migration20261215100000Purpose', class: Migration20261215100000Purpose },
];
