import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.js';
import type { Story } from './story.js';
import type { WatchPost } from './watch-post.js';

/** Milliseconds. The steps of the schedule of deliveries that an unlucky one may still have before it are the most. */
const PATIENCE = 90_000;
const ASK_AGAIN = 200;
/** It has to be quiet for so long. */
const STILL_FOR = 1_000;

const PENDING = `
  select count(*)::int as count from deliveries where state = 'pending' or exists (
    select from delivery_attempts a where a.delivery_id = deliveries.id and a.outcome is null)`;
const UNSEEN = 'select count(*)::int as count from watch_entries where not proven';

/** Waits until nothing is left to be done. @returns what still is after all patience, in words */
export async function untilQuiet(stage: Stage, story: Story, post: WatchPost): Promise<string[]> {
  const until = Date.now() + PATIENCE;
  let quietSince: number | null = null;
  for (;;) {
    const unrest = await unrestOf(stage, story, post);
    quietSince = unrest.length > 0 ? null : (quietSince ?? Date.now());
    if (quietSince !== null && Date.now() - quietSince >= STILL_FOR) return [];
    if (Date.now() > until) return unrest;
    await pause(ASK_AGAIN);
  }
}

async function unrestOf(stage: Stage, { truths }: Story, post: WatchPost): Promise<string[]> {
  const untold = truths.filter(({ name, state }) => !post.isTold(name, state));
  const [pending, unseen] = [await count(stage, PENDING), await count(stage, UNSEEN)];
  return [
    ...untold.map(({ name, state }) => `${name} has become ${state}, and not everybody is shown that`),
    ...(pending > 0 ? [`${pending} deliveries are still on their way`] : []),
    ...(unseen > 0 ? [`${unseen} entries were never looked at`] : []),
    ...stage.members.filter(({ address }) => address === null).map(({ name }) => `${name} is not up`),
  ];
}

async function count({ postgres }: Stage, statement: string): Promise<number> {
  const [row] = await postgres.query<{ count: number }>(statement);
  return row?.count ?? 0;
}
