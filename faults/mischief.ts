import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import { type Incident, incidents, OPENING, type Outcome, type Scene } from './incidents.js';

/** What went wrong, and when; milliseconds of the epoch. */
export interface Happened {
  readonly from: number;
  to: number;
  readonly what: string;
  /** It had to happen, and could not be made to. */
  readonly isMissed: boolean;
}

/** Milliseconds between one thing and the next. */
const BREATH = { least: 200, most: 900 };

/** One thing after another goes wrong, until it is told to stop. */
export async function mischief(
  scene: Scene,
  chance: Chance,
  stop: AbortSignal,
  tell: (happened: Happened) => void,
): Promise<Happened[]> {
  const happened: Happened[] = [];
  const unended: Promise<void>[] = [];
  for (const incident of incidents(chance)) {
    if (stop.aborted) break;
    const from = Date.now();
    const {
      what,
      lasts = 0,
      isMissed = false,
      over,
    } = await incident(scene, chance).catch((error: Error) => failed(error, incident));
    const one = { from, to: Date.now() + lasts, what, isMissed };
    happened.push(one);
    if (over) unended.push(over.then(() => void (one.to = Date.now())));
    tell(one);
    await pause(chance.between(BREATH.least, BREATH.most));
  }
  await Promise.all(unended);
  return happened;
}

function failed(error: Error, incident: Incident): Outcome {
  return { what: `an incident failed: ${error.message}`, isMissed: OPENING.includes(incident) };
}
