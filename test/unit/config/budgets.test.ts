import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/config.js';
import type { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { BUILT_IN_BUDGETS, BUILT_IN_OPERATORS, parseBudgets } from '../../../src/config/budgets.js';
import { budgetsFile } from '../../support/builders/budgets-file.js';

const laid = (file: unknown) =>
  parseBudgets(file, (problem) => {
    throw new Error(problem);
  });
const problemsOf = (file: unknown) => {
  const problems: string[] = [];
  parseBudgets(file, (problem) => void problems.push(problem));
  return problems;
};

describe('the built-in lookup rate limits', () => {
  it('name no registry host twice', () => {
    const hosts = Object.values(BUILT_IN_OPERATORS).flatMap((operator) => operator.hosts);
    expect(new Set(hosts).size).toBe(hosts.length);
  });

  it('allow checks of a thousand .com names every five minutes', () => {
    expect(BUILT_IN_OPERATORS['verisign']?.perSecond).toBeGreaterThan((1_000 / 300) * 3);
  });
});

describe('a lookup budgets file', () => {
  it('changes only the given values of a built-in operator, and adds its new hosts', () => {
    const { operators } = laid({ operators: { verisign: { hosts: ['RDAP.example'], per_second: 40 } } });
    const { hosts, ...rest } = BUILT_IN_OPERATORS['verisign'] ?? { hosts: [] };
    expect(operators['verisign']).toEqual({ ...rest, perSecond: 40, hosts: [...hosts, 'rdap.example'] });
    expect(operators['denic']).toEqual(BUILT_IN_OPERATORS['denic']);
  });

  it('gives a new operator the file’s default for each missing value', () => {
    const file = { default: { per_second: 0.5, burst: 2 }, operators: { lab: { hosts: ['127.0.0.1:8043'] } } };
    const { operators, default: common, privateNetwork: own } = laid(file);
    expect(common).toEqual({ perSecond: 0.5, burst: 2, concurrency: 2 });
    expect(own).toEqual(common);
    expect(operators['lab']).toEqual({ perSecond: 0.5, burst: 2, concurrency: 2, hosts: ['127.0.0.1:8043'] });
  });

  it('keeps the built-in default if the file has no default', () => {
    const { default: common, privateNetwork: own } = laid({});
    expect({ common, own }).toEqual({ common: BUILT_IN_BUDGETS.default, own: BUILT_IN_BUDGETS.privateNetwork });
  });

  it('can take a host away from its built-in operator', () => {
    const { operators } = laid({ operators: { mine: { hosts: ['denic.de'] } } });
    expect(operators['denic']?.hosts).not.toContain('denic.de');
  });

  it('may have operators called "constructor", "__proto__" and "toString"', () => {
    const names = ['constructor', '__proto__', 'toString'];
    const file = `{"operators": {${names.map((name) => `"${name}": {"hosts": ["${name.length}.example"]}`).join()}}}`;
    const { operators } = laid(JSON.parse(file));
    expect(Object.keys(operators)).toEqual(expect.arrayContaining(names));
    expect(Object.getOwnPropertyDescriptor(operators, '__proto__')?.value).toMatchObject({
      hosts: ['9.example'],
      burst: 5,
    });
  });

  it.each<[unknown, RegExp]>([
    [[], /^it must be an object$/],
    [{ verisign: {} }, /^verisign is unknown; default and operators are not$/],
    [{ default: 5 }, /^default must be an object$/],
    [{ default: { per_second: -1 } }, /^default: per_second must be a number from 0 to 10000$/],
    [{ default: { per_second: '1' } }, /^default: per_second must be a number/],
    [{ default: { burst: 0 } }, /^default: burst must be a whole number from 1/],
    [{ default: { burst: 1.5 } }, /^default: burst must be a whole number/],
    [{ default: { concurrency: 0 } }, /^default: concurrency must be a whole number from 1 to 1000$/],
    [{ default: { hosts: [] } }, /^default: hosts is unknown/],
    [{ operators: { a: { rate: 1 } } }, /^a: rate is unknown; per_second, burst, concurrency are not$/],
    [{ operators: { a: { constructor: 1 } } }, /^a: constructor is unknown/],
    [{ operators: { a: { hosts: 'one.example' } } }, /^a: hosts must be a list of host or host:port$/],
    [{ operators: { a: { hosts: ['https://one.example/'] } } }, /^a: hosts must be/],
    [{ operators: { a: { hosts: ['x.y'] }, b: { hosts: ['X.Y'] } } }, /^x.y is of a and of b$/],
  ])('is refused if its content is %j', (file, problem) => expect(problemsOf(file).join('\n')).toMatch(problem));

  it('has each mistake reported separately when the settings are read', () => {
    const path = budgetsFile({ default: { burst: 0, concurrency: 0 }, operators: { a: { rate: 1 } } });
    try {
      readConfig({ LOOKUP_BUDGETS_FILE: path });
    } catch (error) {
      const { problems } = error as InvalidConfigurationError;
      expect(problems).toHaveLength(3);
      expect(problems.every((problem) => problem.startsWith('LOOKUP_BUDGETS_FILE: '))).toBe(true);
    }
    expect.assertions(2);
  });
});
