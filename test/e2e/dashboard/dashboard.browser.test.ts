import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { noMisdeeds } from '../../support/browser/dashboard-page.js';
import { gzippedAssets } from '../../support/browser/bundle-size.js';
import { RunningDashboard } from '../../support/browser/running-dashboard.js';
import { describeChannels } from './channels.js';
import { describeChecking } from './checking.js';
import { describeEntries } from './entries.js';
import { describeExtensions } from './extensions.js';
import { describeKeyboard } from './keyboard.js';
import { describeKeys } from './keys.js';
import { describeRestarts } from './restarts.js';
import { describePictures } from './pictures.js';
import { describeScreens } from './screens.js';
import { describeSessions } from './sessions.js';
import { describeLiveUpdates, describeWatching } from './watching.js';

jest.setTimeout(180_000); // a browser that draws without a graphics card, on a busy machine

/** One service, one browser and one account for all, since each takes seconds to start. */
const dashboard = new RunningDashboard();
beforeAll(() => dashboard.start());
afterAll(() => dashboard.close());

describeWatching(dashboard);
describeLiveUpdates(dashboard, () => {
  describeEntries(dashboard);
  describeKeys(dashboard);
  describeSessions(dashboard);
  describeChannels(dashboard);
  describeExtensions(dashboard);
  describeChecking(dashboard);
  describeKeyboard(dashboard);
  describePictures(dashboard);
  describeScreens(dashboard);
});
if (process.env['ALL_CASES'] === '1') {
  describeRestarts(dashboard);
}

describe('the dashboard as a whole', () => {
  it('sends no request to other hosts, and causes no script or content security error', () => {
    expect(dashboard.misdeeds).toEqual(noMisdeeds());
  });

  it('has compressed assets of less than 110 kB in total', () => {
    expect(gzippedAssets()).toBeLessThan(110_000);
  });
});
