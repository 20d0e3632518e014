import { chromiumForTests } from './test/support/programs/chromium.mjs';
import { redisForTests } from './test/support/servers/redis-server.mjs';
import { suiteGroups } from './test/support/runner/suite-groups.mjs';

/** All suites run in groups. A file or a pattern on the command line runs what it names: suites alone, or a group. */
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const areSuites = names.length > 0 && !names.some((name) => name.includes('groups'));
const grouped = Object.values(suiteGroups()).flat();

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/test/groups/*.group.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(redisForTests() ? [] : ['\\.redis\\.test\\.ts$']),
    ...(chromiumForTests() ? [] : ['\\.browser\\.test\\.ts$']),
    ...(areSuites ? ['/test/groups/'] : grouped.map((suite) => `<rootDir>/test/${suite}$`)),
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/runner/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/runner/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/runner/closing-line.mjs'],
  maxWorkers: 3, // on two cores: a third of the time a suite waits, for a tick, a lease or a process
  testTimeout: 45_000,
  coverageProvider: 'v8', // Babel's provider counts the helpers of compiled decorators as branches
  collectCoverageFrom: ['src/**/*.ts', '!src/main.ts'],
};
