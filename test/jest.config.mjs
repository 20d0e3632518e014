import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromiumForTests } from './support/programs/chromium.mjs';
import { areToolsInstalled } from './support/programs/tools.mjs';
import { leftOutSuites } from './support/runner/left-out-suites.mjs';
import { makeMemoryFolder } from './support/runner/memory-folder.mjs';
import { redisForTests } from './support/servers/redis-server.mjs';

// Before there are workers, which get it with the environment.
if (process.env.TMPDIR === undefined && process.env.JEST_WORKER_ID === undefined) {
  const folder = makeMemoryFolder();
  if (folder !== null) {
    process.env.TMPDIR = folder;
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
}

/** Coverage is counted, and changes are watched, by Jest's own module loader, which loads all modules for each suite. */
const isIsolated = process.argv.some((word) => /^--(coverage|watch)/.test(word));

const rootDir = fileURLToPath(new URL('..', import.meta.url));

const native = {
  runtime: '<rootDir>/test/support/runner/native/runtime.mjs',
  testEnvironment: '<rootDir>/test/support/runner/native/environment.mjs',
  transform: {},
};

const isolated = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': [fileURLToPath(import.meta.resolve('@swc/jest'))] },
  moduleNameMapper: {
    '^namewatch$': '<rootDir>/src/kit.ts',
    '^namewatch/(nest|mikro-orm|testing)$': '<rootDir>/src/$1.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
};

/** @type {import('jest').Config} */
const project = {
  rootDir,
  ...(isIsolated ? isolated : native),
  injectGlobals: false,
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
};

const leftOut = [
  '/node_modules/',
  ...leftOutSuites(),
  ...(areToolsInstalled() ? [] : ['\\.tools\\.test\\.ts$', '\\.browser\\.test\\.ts$']),
];

const testMatch = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

/** @type {import('jest').Config} */
export default {
  rootDir,
  projects: [
    { ...project, testMatch: testMatch('unit', 'architecture'), testPathIgnorePatterns: leftOut },
    {
      ...project,
      testMatch: testMatch('integration', 'e2e'),
      testPathIgnorePatterns: [
        ...leftOut,
        ...(redisForTests() ? [] : ['\\.redis\\.test\\.ts$']),
        ...(chromiumForTests() ? [] : ['\\.browser\\.test\\.ts$']),
      ],
      globalSetup: '<rootDir>/test/support/runner/global-setup.mjs', // not where only others are run
      globalTeardown: '<rootDir>/test/support/runner/global-teardown.mjs',
    },
  ],
  reporters: ['default', '<rootDir>/test/support/runner/closing-line.mjs'],
  maxWorkers: 3, // more than two cores: a suite waits for processes, periodic tasks and leases
  testSequencer: '<rootDir>/test/support/runner/longest-first.mjs',
  testTimeout: 120_000, // it finds a hanging test as well, and a busy machine fails nothing
  workerGracefulExitTimeout: 5_000, // half a second is short for the end of a large process on a busy machine
  coverageProvider: 'v8', // Babel's provider counts the helpers of compiled decorators as branches
  collectCoverageFrom: ['src/**/*.ts', '!src/main.ts'],
};
