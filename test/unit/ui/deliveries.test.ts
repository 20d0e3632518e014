import { describe, expect, it } from '@jest/globals';
import type { Delivery } from '../../../clients/typescript/src/index.js';
import { groupWaiting } from '../../../ui/src/screens/notifications/delivery-words.js';

const aDelivery = (id: string, state: Delivery['state'], ...attempts: object[]) =>
  ({ id, state, attempts }) as unknown as Delivery;
const REFUSED = { outcome: 'http_error', response_status: 503 };

describe('the dashboard’s list of deliveries', () => {
  it('groups consecutive deliveries that wait after the same error', () => {
    const list = [
      aDelivery('a', 'pending', REFUSED),
      aDelivery('b', 'pending', REFUSED),
      aDelivery('c', 'pending', { outcome: 'timeout', response_status: null }),
      aDelivery('d', 'delivered', { outcome: 'ok', response_status: 204 }),
      aDelivery('e', 'delivered', { outcome: 'ok', response_status: 204 }),
      aDelivery('f', 'pending'),
    ];
    const groups = groupWaiting(list).map((group) => group.map(({ id }) => id).join(''));
    expect(groups).toEqual(['ab', 'c', 'd', 'e', 'f']);
  });
});
