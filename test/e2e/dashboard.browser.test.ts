import { afterAll, beforeAll, jest } from '@jest/globals';
import { RunningDashboard } from '../support/browser/running-dashboard.js';
import { describeChannels } from './dashboard/channels.js';
import { describeEntries } from './dashboard/entries.js';
import { describeHostileTexts } from './dashboard/hostile.js';
import { describeKeyboard } from './dashboard/keyboard.js';
import { describeKeys } from './dashboard/keys.js';
import { describePlantedFaults } from './dashboard/planted-faults.js';
import { describeScreens } from './dashboard/screens.js';
import { describeLiveUpdates, describeWatching } from './dashboard/watching.js';

jest.setTimeout(60_000); // a browser that draws without a graphics card, on a busy machine

/** One service, one browser and one account for all, since each takes seconds to start. */
const dashboard = new RunningDashboard();
beforeAll(() => dashboard.start());
afterAll(() => dashboard.close());

describeWatching(dashboard);
describeLiveUpdates(dashboard, () => {
  describeEntries(dashboard);
  describeKeys(dashboard);
  describeChannels(dashboard);
  describeKeyboard(dashboard);
  describeScreens(dashboard);
});
describeHostileTexts(dashboard);
describePlantedFaults(dashboard);
