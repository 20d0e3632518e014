import { describe, expect, it } from '@jest/globals';
import { describeSettings } from '../../../src/extensions/extension-settings.js';
import { loadExtensions, readInstallation } from '../../../src/extensions/load-extensions.js';
import {
  anyText,
  defineExtension,
  type Extension,
  extensionSettings,
  InvalidConfigurationError,
  oneOf,
  optional,
  PlanSource,
  required,
  setting,
  url,
  wholeNumber,
} from '../../../src/kit.js';
import { readTestSettings } from '../../../src/testing.js';

class LedgerSettings extends extensionSettings({
  url: required('LEDGER_URL', url('https:'), { about: 'Where the ledger is.' }),
  token: required('LEDGER_TOKEN', anyText, { about: 'Opens it.', isSecret: true }),
  currency: setting('LEDGER_CURRENCY', oneOf('EUR', 'USD'), { default: 'EUR', about: 'Of its sums.' }),
  rows: optional('LEDGER_ROWS', wholeNumber(1, 9), { about: 'How many it keeps.' }),
}) {
  get host(): string {
    return new URL(this.url).host;
  }
}

const ledger = defineExtension({ name: 'ledger', compatibility: '*', settings: LedgerSettings });
const load = (environment: Record<string, string>, given: readonly Extension[] = [ledger]) =>
  loadExtensions({ extensions: [], environment }, given);
const problemsOf = (work: Promise<unknown>) =>
  work.then(
    () => [],
    (error: InvalidConfigurationError) => error.problems,
  );
const SET = { LEDGER_URL: 'https://ledger.test/', LEDGER_TOKEN: 's3cret' };

describe('the settings of service and extensions', () => {
  it('are read from the environment, with defaults for missing ones', async () => {
    const settings = (await load(SET)).settings.get(LedgerSettings);
    expect(settings).toBeInstanceOf(LedgerSettings);
    expect(settings).toMatchObject({ token: 's3cret', currency: 'EUR', rows: null, host: 'ledger.test' });
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('are reported all at once if invalid, with no secret in a message', async () => {
    const environment = { LEDGER_URL: 'ftp://s3cret@ledger.test', LEDGER_CURRENCY: 'GBP', LEDGER_ROWS: '10' };
    expect(await problemsOf(load(environment))).toEqual([
      'LEDGER_URL must be a URL with https: (extension ledger)',
      'LEDGER_TOKEN is required: Opens it. (extension ledger)',
      'LEDGER_CURRENCY must be one of EUR, USD, not "GBP" (extension ledger)',
      'LEDGER_ROWS must be a whole number from 1 to 9, not "10" (extension ledger)',
    ]);
  });

  it('are reported, if invalid, together with an extension that cannot be loaded', async () => {
    expect(await problemsOf(readInstallation({ PORT: 'x', EXTENSIONS: './nowhere', PLAN_DEFAULT: 'gold' }))).toEqual([
      'PORT must be a whole number from 0 to 65535, not "x"',
      'EXTENSIONS: cannot load ./nowhere: no such file or folder',
    ]);
  });

  it('are reported, if invalid, together with an unknown default plan', async () => {
    const plan = expect.stringMatching(/^PLAN_DEFAULT must be one of \w+/);
    expect(await problemsOf(readInstallation({ PORT: 'x', PLAN_DEFAULT: 'gold' }))).toEqual([
      'PORT must be a whole number from 0 to 65535, not "x"',
      plan,
    ]);
    const unread = await problemsOf(readInstallation({ PLANS_FILE: '/nowhere', PLAN_DEFAULT: 'gold' }));
    expect(unread).not.toContainEqual(plan);
  });

  it('are suggested if the environment has a misspelt name', async () => {
    expect(await problemsOf(load({ ...SET, LEDGER_CURENCY: 'USD' }))).toEqual([
      'LEDGER_CURENCY is no setting; LEDGER_CURRENCY is',
    ]);
    expect(await problemsOf(load({ ...SET, LEDGER_MODEL: 'x', EDGER_URL: 'x' }))).toEqual([]);
  });

  it('are refused if an extension’s setting does not begin with the extension’s name', async () => {
    const named = (...names: string[]) => {
      const definitions = Object.fromEntries(
        names.map((name) => [name, setting(name, anyText, { default: '', about: '' })]),
      );
      return defineExtension({ name: 'ledger', compatibility: '*', settings: extensionSettings(definitions) });
    };
    expect(await problemsOf(load({}, [named('URL', 'LEDGER_', 'ledger_url')]))).toEqual([
      'the setting "URL" of the extension ledger is not LEDGER_<WORD>',
      'the setting "LEDGER_" of the extension ledger is not LEDGER_<WORD>',
      'the setting "ledger_url" of the extension ledger is not LEDGER_<WORD>',
    ]);
    const settings = {} as Extension['settings'];
    expect(await problemsOf(load({}, [{ name: 'ledger', compatibility: '*', ...(settings && { settings }) }]))).toEqual(
      ['settings of the extension ledger has to be a class that extends extensionSettings({ … })'],
    );
  });

  it('are described without showing the value of a secret', async () => {
    const { settings } = await load(SET);
    expect(describeSettings(ledger, settings)).toEqual([
      'LEDGER_URL: https://ledger.test/. Where the ledger is.',
      'LEDGER_TOKEN: set, not shown. Opens it.',
      'LEDGER_CURRENCY: EUR (default). Of its sums.',
      'LEDGER_ROWS: not set. How many it keeps.',
    ]);
  });

  it('are read and validated from the values that a test passes in', () => {
    expect(readTestSettings(LedgerSettings, { ...SET, LEDGER_ROWS: '3' })).toMatchObject({ rows: 3, currency: 'EUR' });
    expect(() => readTestSettings(LedgerSettings)).toThrow(InvalidConfigurationError);
  });
});

describe('PLAN_DEFAULT', () => {
  const plans = { small: {} as never };
  it('must name a configured plan unless an extension provides the plans', async () => {
    const config = { extensions: [], environment: {}, plans, defaultPlan: 'gold' };
    expect(await problemsOf(loadExtensions(config))).toEqual(['PLAN_DEFAULT must be one of small']);
    class BillingPlans extends PlanSource {
      load = () => Promise.resolve({});
    }
    const billing = defineExtension({ name: 'acme-plans', compatibility: '*', planSource: BillingPlans });
    expect((await loadExtensions(config, [billing])).all).toHaveLength(1);
  });
});
