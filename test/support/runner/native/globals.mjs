import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const mocker = new ModuleMocker(globalThis);
let timers;

/** Those of the suite that runs. Modules that import them are loaded once, and see them change. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test;

export function setGlobals(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = globals);
}

/** The part of Jest's object that tests use. */
export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  replaceProperty: mocker.replaceProperty.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  setTimeout: (milliseconds) => void (globalThis[TEST_TIMEOUT] = milliseconds),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
  advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
};

export function prepareTimers(config) {
  delete globalThis[TEST_TIMEOUT];
  timers = new ModernFakeTimers({ config, global: globalThis });
}

/** Restores everything that a suite replaced. */
export function restoreMocks() {
  timers.dispose();
  mocker.restoreAllMocks();
}
