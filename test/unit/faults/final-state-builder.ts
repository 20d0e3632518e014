import type { FinalState } from '../../../faults/results/final-state.js';
import type { WebhookArrival } from '../../../faults/world/webhook-receivers.js';

const at = (second: number) => Date.parse('2026-11-21T12:00:00Z') + second * 1_000;

const move = (change_seq: number, word: string, previous_status: string, status: string, second: number) => ({
  id: `evt_${change_seq}`,
  accountId: 'acc_1',
  type: 'watchlist.status_changed',
  entryId: 'wl_1',
  createdAt: new Date(at(second)),
  data: {
    ...{ status, previous_status, move: word, change_seq },
    observed_at: new Date(at(second - 1)).toISOString(),
    confirmed_at: new Date(at(second)).toISOString(),
  },
});

const arrival = (event: string, second: number): WebhookArrival => ({
  ...{ channel: 'steady', event, attempt: 1, status: 204, digest: event, isGenuine: true },
  ...{ signedAt: at(second), arrivedAt: at(second) + 10, endedAt: at(second) + 20 },
});

/** One name that was about to be deleted, and dropped; reported on one channel. Nothing is wrong with it. */
export function createGoodRun(): FinalState {
  return {
    registryStates: new Map([
      [
        'lapsed.alpha',
        [
          { state: 'registered', from: at(0), until: at(10) },
          { state: 'pending_delete', from: at(10), until: at(20) },
          { state: 'available', from: at(20), until: null },
        ],
      ],
    ]),
    falseAnswers: new Map(),
    watchedEntries: [{ id: 'wl_1', domain: 'lapsed.alpha', status: 'registered' }],
    entries: [{ id: 'wl_1', accountId: 'acc_1', domain: 'lapsed.alpha', status: 'available', changeSeq: 2 }],
    events: [
      move(1, 'deletion_started', 'registered', 'pending_delete', 12),
      move(2, 'dropped', 'pending_delete', 'available', 22),
    ],
    channels: [
      {
        ...{ id: 'nc_1', accountId: 'acc_1', target: 'https://127.0.0.1:65000/steady', active: true },
        ...{ eventTypes: [], tags: [], createdAt: new Date(at(0)) },
      },
    ],
    channelLabels: new Map([['nc_1', 'steady']]),
    deliveries: [
      { id: 'dl_1', eventId: 'evt_1', channelId: 'nc_1', state: 'delivered' },
      { id: 'dl_2', eventId: 'evt_2', channelId: 'nc_1', state: 'delivered' },
    ],
    attempts: [
      { deliveryId: 'dl_1', number: 1, startedAt: new Date(at(13)), outcome: 'ok' },
      { deliveryId: 'dl_2', number: 1, startedAt: new Date(at(23)), outcome: 'ok' },
    ],
    mailed: [],
    arrivals: [arrival('evt_1', 13), arrival('evt_2', 23)],
    history: [0, 1, 2].map((changeSeq) => ({ entryId: 'wl_1', changeSeq, status: 'registered' })),
    keys: [{ id: 'key_1', name: 'key 1' }],
    actions: [
      { kind: 'key', subject: 'key 1', id: 'key_1', added: 'answered', removed: 'no', removedAt: null },
      {
        kind: 'entry',
        subject: 'extra-1.alpha',
        id: 'wl_2',
        added: 'answered',
        removed: 'answered',
        removedAt: at(15),
      },
    ],
    checks: [{ name: 'lapsed.alpha', status: 'pending_delete', from: at(14), to: at(15) }],
    lateness: [{ at: at(15), seconds: 2, hasWorkers: true }],
    ...{ inconsistentNames: [], unexpectedResponses: [], incidents: [], unfinished: [], leaseSeconds: 5 },
  };
}
