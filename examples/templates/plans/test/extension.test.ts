import type { PlansByName } from 'namewatch';
import { planSourceContract, readTestSettings } from 'namewatch/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PlansFile } from '../src/plans-file.js';
import { Settings } from '../src/settings.js';

const folder = mkdtempSync(join(tmpdir(), 'plans-'));
after(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'plans.json');
const write = (entries: number) => {
  const counts = { entries, channels: 5, requests_per_minute: 60, bulk: 20, history_days: 90 };
  const plans: PlansByName = { team: { intervals: [60, 1_440], default_interval: 1_440, ...counts } };
  writeFileSync(file, JSON.stringify(plans));
};

describe('the plan source', () => {
  const contract = planSourceContract({
    createSource: () => {
      write(100);
      return new PlansFile(readTestSettings(Settings, { MY_EXTENSION_PLANS: file }));
    },
    defaultPlan: 'team',
    changePlans: () => write(200),
    breakOrigin: () => rmSync(file),
  });
  for (const { name, run } of contract) it(name, run);
});
