import { EntityManager } from 'namewatch/mikro-orm';
import { startForTests, subscriberContract, type TestNamewatch } from 'namewatch/testing';
import { after, before, describe, it } from 'node:test';
import { Drop } from '../src/drop.js';
import extension from '../src/extension.js';
import { RecordDrops } from '../src/record-drops.js';

describe('the subscriber', () => {
  let namewatch: TestNamewatch;
  before(async () => {
    namewatch = await startForTests({ extensions: [extension] });
  });
  after(() => namewatch.close());

  const contract = subscriberContract({
    subscriber: RecordDrops,
    namewatch: () => namewatch,
    countRows: (ids) => {
      const entities = namewatch.get(EntityManager).fork();
      return entities.count(Drop, { eventId: { $in: [...ids] } });
    },
  });
  for (const { name, run } of contract) it(name, run);
});
