import type { Invariant } from '../results/final-state.js';
import { acknowledgedWritesPersist } from './acknowledged-writes-persist.js';
import { attemptsDoNotOverlap } from './attempts-do-not-overlap.js';
import { deliveriesFinish } from './deliveries-finish.js';
import { everyChangeIsPublished } from './every-change-is-published.js';
import { recordChangesAreTrue } from './record-changes-are-true.js';
import { oneDeliveryPerChannel } from './one-delivery-per-channel.js';
import { checksAreOnTime } from './checks-are-on-time.js';
import { statusesAreTrue } from './statuses-are-true.js';
import { duplicatesAreExplained } from './duplicates-are-explained.js';

export const INVARIANTS: readonly Invariant[] = [
  everyChangeIsPublished,
  statusesAreTrue,
  oneDeliveryPerChannel,
  deliveriesFinish,
  attemptsDoNotOverlap,
  checksAreOnTime,
  acknowledgedWritesPersist,
  duplicatesAreExplained,
  recordChangesAreTrue,
];
