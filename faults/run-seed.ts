import { setTimeout as pause } from 'node:timers/promises';
import { cast } from './cast.js';
import { Chance } from './chance.js';
import { Client } from './client.js';
import { Clients } from './clients.js';
import { type Evidence, readRows, type Watch } from './evidence.js';
import type { Scene } from './incidents.js';
import { Ledger } from './ledger.js';
import { mischief } from './mischief.js';
import { untilQuiet } from './quiet.js';
import { LEASE_SECONDS } from './settings.js';
import { Stage, type StageOptions } from './stage.js';
import { Story } from './story.js';
import { type Substance, substanceOf } from './substance.js';
import { WatchPost } from './watch-post.js';

export interface SeedOptions extends StageOptions {
  readonly seed: number;
  /** Of things going wrong. */
  readonly seconds: number;
  readonly names: number;
  readonly tell: (line: string) => void;
}

export interface SeedRun {
  readonly evidence: Evidence;
  /** What gave it something to go wrong with. */
  readonly substance: readonly Substance[];
  /** Where logs are, for whoever wants to know more. */
  readonly stage: Stage;
}

/** What it may take to wake up, or to be started again on a busy machine; milliseconds. */
const UP_AGAIN = 60_000;
/** By then somebody slept over looks, or nobody will; it goes on at least until then. */
const UNTIL_AWAKE = 150_000;

/** Sets the stage, lets everything go wrong for a while, lets it heal, waits until all is quiet, and reads what is there. */
export async function runSeed(options: SeedOptions, opened: (stage: Stage) => void): Promise<SeedRun> {
  const { seed, seconds, names, tell } = options;
  const chance = new Chance(String(seed));
  const opening = Date.now();
  const stage = await Stage.open(options, chance);
  opened(stage);
  await stage.start();
  const accounts = [stage.key, await stage.openAccount('second')];
  const apis = stage.members.filter(({ role }) => role === 'api');
  const people = accounts.map((key, i) => new Client(key, apis, chance.for(`client ${i}`)));
  const [first] = people;
  if (!first) throw new Error('nobody has an account');

  const story = new Story(stage.registries, chance.for('story'), names);
  const { standing, watches } = await cast(stage, people, story.names);
  const ledger = new Ledger();
  const clients = new Clients(first, ledger, stage.registries, story.names, chance.for('clients'));
  const post = new WatchPost(stage, accounts.length);
  const over = new AbortController();
  const observing = post.observe(over.signal);

  const began = Date.now();
  const stop = new AbortController();
  const since = (at: number) => `${((at - began) / 1_000).toFixed(1).padStart(6)} s`;
  const slept = Promise.race([story.hasSlept, pause(UNTIL_AWAKE, undefined, { ref: false })]);
  void Promise.all([pause(seconds * 1_000), slept]).then(() => {
    story.wakes();
    stop.abort();
  });
  const took = ((began - opening) / 1_000).toFixed(1);
  tell(
    `seed ${seed}: ${names} names, ${accounts.length} accounts, the queue on ${options.queue}; ready after ${took} s`,
  );
  const scene: Scene = { ...stage, members: stage.members, leaseSeconds: LEASE_SECONDS, story };
  const [happened] = await Promise.all([
    mischief(scene, chance.for('mischief'), stop.signal, ({ from, what }) => tell(`${since(from)}  ${what}`)),
    story.play((name, state) => post.isTold(name, state), stop.signal),
    clients.work(stop.signal),
  ]);
  const substance = substanceOf(stage, story, happened, options.broken !== null);

  stage.receivers.behave();
  stage.mails.behave();
  const calm = Date.now();
  await pause(Math.max(0, ...happened.map(({ to }) => to - calm))); // who sleeps may have something in hand
  const unrest = [...(await settled(stage, UP_AGAIN)), ...(await untilQuiet(stage, story, post))];
  tell(`${since(Date.now())}  ${unrest.length === 0 ? 'quiet' : 'not quiet'} after ${Date.now() - calm} ms`);
  over.abort();
  await observing;

  const evidence: Evidence = {
    ...(await readRows(stage.postgres)),
    ...{ standing, happened, unrest, hearsay: story.hearsay, leaseSeconds: LEASE_SECONDS },
    truths: new Map([...story.truths, ...clients.names.values()].map(({ name, spells }) => [name, spells])),
    watches: [...watches, ...kept(ledger)],
    arrivals: stage.receivers.arrivals,
    mailed: stage.mails.mailed,
    ...{ deeds: ledger.deeds, checked: ledger.checked },
    wrongAnswers: people.flatMap(({ wrongAnswers }) => wrongAnswers),
    lateness: post.lateness,
  };
  return { evidence, substance, stage };
}

/** Names that people added meanwhile begin as registered, and are watched for as long as nobody removed them. */
function kept({ deeds }: Ledger): Watch[] {
  const there = deeds.filter(
    ({ kind, added, removed }) => kind === 'entry' && added === 'answered' && removed === 'no',
  );
  return there.map(({ id, subject }) => ({ id: id ?? '', domain: subject, status: 'registered' }));
}

/** All that was frozen is awake, and all that was killed is up again. */
async function settled(stage: Stage, patience: number): Promise<string[]> {
  const up = Promise.all(stage.members.map((member) => member.up())).then(() => true);
  const isUp = await Promise.race([up, pause(patience, false, { ref: false })]);
  return isUp ? [] : ['not every process came up again'];
}
