import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.js';
import {
  type Incident,
  incidents,
  REQUIRED_INCIDENTS,
  type IncidentOutcome,
  type IncidentContext,
} from './incidents.js';

/** One incident; epoch milliseconds. */
export interface InjectedFault {
  readonly from: number;
  to: number;
  readonly what: string;
  /** A required incident that did not happen in time. */
  readonly isMissed: boolean;
}

/** The pause between two incidents. */
const PAUSE_MS = { least: 200, most: 900 };

/** Injects one incident after another until it is stopped. */
export async function injectFaults(
  scene: IncidentContext,
  random: SeededRandom,
  stop: AbortSignal,
  report: (injected: InjectedFault, count: number) => void,
  pauseMs = PAUSE_MS,
): Promise<InjectedFault[]> {
  const injected: InjectedFault[] = [];
  const openEnded: Promise<void>[] = [];
  for (const incident of incidents(random)) {
    if (stop.aborted) break;
    const from = Date.now();
    const {
      what,
      durationMs: lasts = 0,
      isMissed = false,
      over,
    } = await incident(scene, random).catch((error: Error) => failed(error, incident));
    const one = { from, to: Date.now() + lasts, what, isMissed };
    injected.push(one);
    if (over) openEnded.push(over.then(() => void (one.to = Date.now())));
    report(one, injected.length);
    await pause(random.between(pauseMs.least, pauseMs.most));
  }
  await Promise.all(openEnded);
  return injected;
}

function failed(error: Error, incident: Incident): IncidentOutcome {
  return { what: `an incident failed: ${error.message}`, isMissed: REQUIRED_INCIDENTS.includes(incident) };
}
