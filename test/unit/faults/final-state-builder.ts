import type { FinalState } from '../../faults/results/final-state.js';
import type { RecordValues } from '../../faults/world/held-record.js';
import type { WebhookArrival } from '../../faults/world/webhook-receivers.js';

const at = (second: number) => Date.parse('2026-11-21T12:00:00Z') + second * 1_000;

const move = (change_seq: number, word: string, previous_status: string, status: string, second: number) => ({
  id: `evt_${change_seq}`,
  accountId: 'acc_1',
  type: 'watchlist.status_changed',
  entryId: 'wl_1',
  createdAt: new Date(at(second)),
  data: {
    status,
    previous_status,
    move: word,
    change_seq,
    observed_at: new Date(at(second - 1)).toISOString(),
    confirmed_at: new Date(at(second)).toISOString(),
  },
});

const record: RecordValues = {
  nameservers: ['ns1.one.example'],
  registrar: { name: 'One', iana_id: '1' },
  statuses: ['active'],
  ds: [],
  last_transfer: '2020-01-01T00:00:00.000Z',
};
const moved: RecordValues = { ...record, nameservers: ['ns1.other.example'] };

/** Of a name that stays registered. */
const recordChange = {
  id: 'evt_3',
  accountId: 'acc_1',
  type: 'watchlist.record_changed',
  entryId: 'wl_3',
  createdAt: new Date(at(16)),
  data: {
    status: 'registered',
    previous_status: 'registered',
    move: null,
    change_seq: 0,
    purpose: 'own',
    observed_at: new Date(at(11)).toISOString(),
    confirmed_at: new Date(at(15)).toISOString(),
    kind: 'nameservers' as const,
    before: record.nameservers,
    after: moved.nameservers,
  },
};

const arrival = (event: string, second: number): WebhookArrival => ({
  channel: 'steady',
  event,
  attempt: 1,
  status: 204,
  digest: event,
  isGenuine: true,
  signedAt: at(second),
  arrivedAt: at(second) + 10,
  endedAt: at(second) + 20,
});

/** A name that was about to be deleted, and dropped, and a name that moved. Nothing is wrong with the run. */
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
      ['moved.alpha', [{ state: 'registered', from: at(0), until: null }]],
    ]),
    falseAnswers: new Map(),
    recordHistories: new Map([
      [
        'lapsed.alpha',
        [
          { values: record, from: at(0), publishedAt: at(0), until: at(20) },
          { values: null, from: at(20), publishedAt: at(20), until: null },
        ],
      ],
      [
        'moved.alpha',
        [
          { values: record, from: at(0), publishedAt: at(0), until: at(10) },
          { values: moved, from: at(10), publishedAt: at(12), until: null },
        ],
      ],
    ]),
    recordNames: ['moved.alpha'],
    listedChanges: new Map([
      [
        'wl_3',
        [
          {
            kind: 'nameservers',
            before: record.nameservers,
            after: moved.nameservers,
            first_seen_at: recordChange.data.observed_at,
            confirmed_at: recordChange.data.confirmed_at,
          },
        ],
      ],
    ]),
    watchedEntries: [
      { id: 'wl_1', domain: 'lapsed.alpha', status: 'registered', account: 0 },
      { id: 'wl_3', domain: 'moved.alpha', status: 'registered', account: 0 },
    ],
    entries: [
      { id: 'wl_1', accountId: 'acc_1', domain: 'lapsed.alpha', status: 'available', changeSeq: 2 },
      { id: 'wl_3', accountId: 'acc_1', domain: 'moved.alpha', status: 'registered', changeSeq: 0 },
    ],
    events: [
      move(1, 'deletion_started', 'registered', 'pending_delete', 12),
      move(2, 'dropped', 'pending_delete', 'available', 22),
      recordChange,
    ],
    channels: [
      {
        id: 'nc_1',
        accountId: 'acc_1',
        target: 'https://127.0.0.1:65000/steady',
        active: true,
        eventTypes: [],
        tags: [],
        createdAt: new Date(at(0)),
      },
    ],
    channelLabels: new Map([['nc_1', 'steady']]),
    deliveries: [
      { id: 'dl_1', eventId: 'evt_1', channelId: 'nc_1', state: 'delivered' },
      { id: 'dl_2', eventId: 'evt_2', channelId: 'nc_1', state: 'delivered' },
      { id: 'dl_moved', eventId: 'evt_3', channelId: 'nc_1', state: 'delivered' },
    ],
    attempts: [
      { deliveryId: 'dl_1', number: 1, startedAt: new Date(at(13)), outcome: 'ok' },
      { deliveryId: 'dl_2', number: 1, startedAt: new Date(at(23)), outcome: 'ok' },
      { deliveryId: 'dl_moved', number: 1, startedAt: new Date(at(17)), outcome: 'ok' },
    ],
    mailed: [],
    arrivals: [arrival('evt_1', 13), arrival('evt_2', 23), arrival('evt_3', 17)],
    history: [
      ...[0, 1, 2].map((changeSeq) => ({ entryId: 'wl_1', changeSeq, status: 'registered' })),
      { entryId: 'wl_3', changeSeq: 0, status: 'registered' },
    ],
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
    inconsistentNames: [],
    unexpectedResponses: [],
    incidents: [],
    unfinished: [],
    leaseSeconds: 5,
  };
}
