import { createRequire, flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { importTypeScript, sourceMaps } from '../../../../tools/scripts/import-typescript.mjs';
import { setGlobals } from './globals.mjs';

const require = createRequire(import.meta.url);
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Runs suites in the process of the worker, by Node's own module loader. Jest's would load Nest, the ORM and the
 * service again for each suite, which takes longer than most suites do.
 */
export default class NativeRuntime {
  constructor({ cacheDirectory }) {
    importTypeScript(cacheDirectory);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(path) {
    return require(path);
  }

  /** The framework holds the tests of one suite, so that each suite loads its own. */
  requireInternalModule(path) {
    delete globalThis[EVENT_HANDLERS];
    delete require.cache[path];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    setGlobals(globals);
  }

  getSourceMaps() {
    return sourceMaps;
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  enterTestCode() {}
  leaveTestCode() {}

  teardown() {
    flushCompileCache();
  }
}
