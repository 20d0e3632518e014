import { chromiumForTests } from '../programs/chromium.mjs';
import { pythonForTests } from '../programs/python.mjs';
import { areToolsInstalled } from '../programs/tools.mjs';
import { leftOutSuites } from './left-out-suites.mjs';
import { redisForTests } from '../servers/redis-server.mjs';

/**
 * The last word of a run, for people and scripts: how many tests passed and failed, and what was left out. Said when
 * the process exits, since Jest puts its own summary after every reporter of ours.
 */
export default class ClosingLine {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    // A suite that could not even be loaded has no failed test, and has failed.
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    process.once('exit', () => {
      if (!redisForTests())
        console.log('The Redis suites were skipped: set REDIS_URL, or put redis-server or valkey-server on PATH.');
      if (!chromiumForTests())
        console.log('The browser suites were skipped: put chromium on PATH, or name it in CHROMIUM.');
      if (!pythonForTests())
        console.log('The tests of the Python receiver were skipped: put python3 on PATH, or name it in PYTHON.');
      if (leftOutSuites().length > 0)
        console.log('Suites of tools and of rare situations were left out: ".ci/run --all" runs them, or ALL_CASES=1.');
      if (!areToolsInstalled()) console.log('The suites that need tools were skipped: run "npm ci --prefix tools".');
      console.log(`${numPassedTests} passed, ${failed} failed`);
    });
  }
}
