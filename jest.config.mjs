import { redisForTests } from './test/support/redis-server.mjs';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...(redisForTests() ? [] : ['\\.redis\\.test\\.ts$'])],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  reporters: ['default', '<rootDir>/test/support/closing-line.mjs'],
  maxWorkers: 3, // on two cores: a third of the time a suite waits, for a tick, a lease or a process
  testTimeout: 45_000,
  coverageProvider: 'v8', // Babel's provider counts the helpers of compiled decorators as branches
  collectCoverageFrom: ['src/**/*.ts', '!src/main.ts'],
};
