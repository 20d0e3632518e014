import { prepareTimers, restoreMocks } from './globals.mjs';

/** Suites run in the process itself. Their changes to the process are undone after each. */
export default class NativeEnvironment {
  global = globalThis;
  #before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };

  constructor({ projectConfig }) {
    prepareTimers(projectConfig);
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  setup() {
    Error.stackTraceLimit = 25; // each expectation records its stack
  }

  teardown() {
    restoreMocks();
    const { console, exit, env } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}
