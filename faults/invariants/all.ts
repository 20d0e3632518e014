import type { Invariant } from '../evidence.js';
import { answersAreKept } from './answers-are-kept.js';
import { attemptsTakeTurns } from './attempts-take-turns.js';
import { deliveriesEnd } from './deliveries-end.js';
import { everyChangeIsTold } from './every-change-is-told.js';
import { everyChannelHears } from './every-channel-hears.js';
import { looksComeInTime } from './looks-come-in-time.js';
import { nothingIsInvented } from './nothing-is-invented.js';
import { repeatsAreExplained } from './repeats-are-explained.js';

export const INVARIANTS: readonly Invariant[] = [
  everyChangeIsTold,
  nothingIsInvented,
  everyChannelHears,
  deliveriesEnd,
  attemptsTakeTurns,
  looksComeInTime,
  answersAreKept,
  repeatsAreExplained,
];
