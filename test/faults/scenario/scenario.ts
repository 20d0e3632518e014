import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.js';
import { type RegistryFault, REGISTRY_FAULTS } from '../world/registry-faults.js';
import { type Registries, TLDS } from '../world/registries.js';
import { type StateSpan, type LifecycleState, STATES, RegistryState } from '../world/registry-state.js';

/** Possible next states; a reversal is rare, since flapping delays the next confirmation beyond the end of a run. */
const NEXT_STATES: Readonly<Record<LifecycleState, readonly LifecycleState[]>> = {
  registered: ['expiring', 'pending_delete', 'pending_delete', 'available'],
  expiring: ['pending_delete', 'pending_delete', 'registered'],
  pending_delete: ['available', 'available', 'registered'],
  available: ['registered'],
};

const MAX_DWELL_MS = 600;
const FAULT_MS = { least: 500, most: 2_500 };
/** A check is due every five seconds, so a request comes by then unless no process can make one. */
const REQUEST_TIMEOUT_MS = 12_000;
/** How long it lasts after the first request; shorter than the spacing of the two lookups that confirm an absence. */
const GONE_MS = 1_000;
/** The name changes only after a lookup with the absence has sent its last DNS query. */
const AFTER_GONE_MS = 500;
const POLL_MS = 100;
/** How many faults of each kind have to be delivered; a kill may undo what one of them could do. */
export const MIN_FAULTS = 4;
/** How many names start with a fault. */
const INITIAL_FAULTS = 3 * REGISTRY_FAULTS.length;
/**
 * How many names keep their state until a worker is frozen: the results it holds have to be about names that do not
 * change right away.
 */
const WAITING_NAMES = 12;
/** A held result about one name may happen to be harmless: a failure, or an absence that waits for a second lookup. */
const MIN_OUTDATED_NAMES = 4;
/** On a busy machine it takes long until another worker takes over. */
const OUTDATED_TIMEOUT_MS = 45_000;

/** How one name starts. */
interface NameStart {
  readonly waits: boolean;
  /** Injected as soon as possible, so that every kind occurs early; more follow at random. */
  readonly faults: Set<RegistryFault>;
}

/** Whether every entry of a name shows this state. */
export type IsShown = (name: string, state: LifecycleState) => boolean;

/**
 * The lifecycle of every name. The seed decides how each one passes through registration, expiry and deletion, and which
 * registry faults it meets. A name changes only after its last change is shown, so that no change may be skipped.
 */
export class Scenario {
  readonly registryStates: readonly RegistryState[];
  /** Wrong answers of registries, by name: live checks may repeat them. */
  readonly falseAnswers = new Map<string, StateSpan[]>();
  /** States that names avoid while a frozen worker holds a result with them. */
  private readonly avoidedStates = new Map<string, LifecycleState>();
  /** Names that show another state before the frozen worker resumed. */
  readonly outdatedNames = new Set<string>();
  private readonly frozen = Promise.withResolvers<void>();
  private readonly outdatedShown = Promise.withResolvers<void>();
  private readonly resumed = Promise.withResolvers<void>();

  constructor(
    private readonly registries: Registries,
    private readonly random: SeededRandom,
    size: number,
  ) {
    const born = Date.now();
    this.registryStates = Array.from({ length: size }, (_, i) => {
      const name = `name-${i}.${TLDS[i % TLDS.length] ?? ''}`;
      const first = random.pick(i < WAITING_NAMES ? STATES.filter(needsOneLookup) : STATES);
      registries.setState(name, first);
      return new RegistryState(name, first, born);
    });
  }

  get names(): string[] {
    return this.registryStates.map(({ name }) => name);
  }

  get changes(): number {
    return this.registryStates.reduce((sum, { changes }) => sum + changes, 0);
  }

  /**
   * A frozen worker holds results about these names: until it resumes, they change to another state.
   * @returns when some of them show their new state, or after a timeout
   */
  async holdNames(names: readonly string[]): Promise<void> {
    for (const { name, state } of this.registryStates) if (names.includes(name)) this.avoidedStates.set(name, state);
    this.frozen.resolve();
    await Promise.race([this.outdatedShown.promise, pause(OUTDATED_TIMEOUT_MS, undefined, { ref: false })]);
  }

  release(): void {
    this.avoidedStates.clear();
    this.frozen.resolve();
    this.resumed.resolve();
  }

  /** Resolves when a worker was frozen with results and resumed, or none could be. */
  get whenReleased(): Promise<void> {
    return this.resumed.promise;
  }

  async run(isShown: IsShown, stop: AbortSignal): Promise<void> {
    await Promise.all(this.registryStates.map((truth, i) => this.runName(truth, createStart(i), isShown, stop)));
  }

  private async runName(
    truth: RegistryState,
    { waits: sits, faults }: NameStart,
    isShown: IsShown,
    stop: AbortSignal,
  ): Promise<void> {
    const random = this.random.fork(truth.name);
    if (sits) await this.frozen.promise;
    for (;;) {
      while (!stop.aborted && !isShown(truth.name, truth.state)) await pause(POLL_MS);
      if (isShown(truth.name, truth.state)) this.markOutdated(truth);
      await pause(random.between(0, MAX_DWELL_MS));
      if (stop.aborted) return;
      const possible = REGISTRY_FAULTS.filter((one) => isPossibleFault(one, truth.state));
      const byChance = random.nextBoolean(0.3) ? random.pick(this.rareAmong(possible)) : null;
      const fault = this.avoidedStates.has(truth.name)
        ? null
        : (possible.find((one) => faults.delete(one)) ?? byChance);
      if (fault) await this.injectFault(truth, fault, random, stop);
      if (stop.aborted) return;
      const next = await this.pickNextState(truth, fault, random, stop);
      if (next === null) return;
      // before the registry answers so: an observation is never earlier than the change
      truth.changeTo(next, Date.now());
      this.registries.setState(truth.name, next);
    }
  }

  /** @returns null when the run stops first */
  private async pickNextState(
    truth: RegistryState,
    fault: RegistryFault | null,
    random: SeededRandom,
    stop: AbortSignal,
  ): Promise<LifecycleState | null> {
    for (;;) {
      const believed = this.avoidedStates.get(truth.name);
      const next = possibleNextStates(truth.state, fault).filter((state) => state !== believed);
      if (next.length > 0) return random.pick(next);
      await pauseUnlessStopped(POLL_MS, stop);
      if (stop.aborted) return null;
    }
  }

  /** The kinds of which too few were delivered so far; all of them where none is missing. */
  private rareAmong(faults: readonly RegistryFault[]): readonly RegistryFault[] {
    const rare = faults.filter((fault) => (this.registries.deliveredFaults.get(fault) ?? 0) < MIN_FAULTS);
    return rare.length > 0 ? rare : faults;
  }

  private markOutdated({ name, state }: RegistryState): void {
    if ((this.avoidedStates.get(name) ?? state) === state) return;
    this.outdatedNames.add(name);
    if (this.outdatedNames.size >= MIN_OUTDATED_NAMES) this.outdatedShown.resolve();
  }

  /** Lasts until a request gets it: a fault that is not delivered proves nothing. */
  private async injectFault(
    { name }: RegistryState,
    fault: RegistryFault,
    random: SeededRandom,
    stop: AbortSignal,
  ): Promise<void> {
    const lasts = random.between(FAULT_MS.least, FAULT_MS.most);
    const from = Date.now();
    const { requested, delivered } = this.registries.injectFault(name, fault);
    await Promise.race([requested, pauseUnlessStopped(REQUEST_TIMEOUT_MS, stop)]);
    if (fault === 'gone') await Promise.race([delivered, pauseUnlessStopped(GONE_MS, stop)]);
    else if (fault === 'vetoed') await Promise.race([delivered, pauseUnlessStopped(REQUEST_TIMEOUT_MS, stop)]);
    else await pauseUnlessStopped(lasts, stop);
    this.registries.endFault(name);
    if (fault !== 'gone') return;
    this.addFalseAnswer(name, { state: 'available', from, until: Date.now() });
    await pauseUnlessStopped(AFTER_GONE_MS, stop);
  }

  private addFalseAnswer(name: string, span: StateSpan): void {
    this.falseAnswers.set(name, [...(this.falseAnswers.get(name) ?? []), span]);
  }
}

/** An available name cannot vanish, and an absence confirms much sooner while a deletion is pending. */
function isPossibleFault(fault: RegistryFault, state: LifecycleState): boolean {
  if (state === 'available') return fault !== 'gone' && fault !== 'vetoed';
  return fault !== 'gone' || state !== 'pending_delete';
}

/** An absence takes a second lookup. */
function needsOneLookup(state: LifecycleState): boolean {
  return state !== 'available';
}

function createStart(i: number): NameStart {
  const isLiar = i >= WAITING_NAMES && i < WAITING_NAMES + INITIAL_FAULTS;
  return {
    waits: i < WAITING_NAMES,
    faults: new Set(isLiar ? REGISTRY_FAULTS.filter((_, kind) => kind === i % REGISTRY_FAULTS.length) : []),
  };
}

/** After a false absence the name does not drop: its first witness would be older than the drop. */
function possibleNextStates(state: LifecycleState, fault: RegistryFault | null): readonly LifecycleState[] {
  if (fault !== 'gone' && fault !== 'vetoed') return NEXT_STATES[state];
  return NEXT_STATES[state].filter((next) => next !== 'available');
}

export async function pauseUnlessStopped(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
