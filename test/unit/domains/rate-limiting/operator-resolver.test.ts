import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../../src/config/config.js';
import { OperatorResolver } from '../../../../src/domains/rate-limiting/operator-resolver.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';

const operators = new OperatorResolver(readConfig({}));
const of = (host: string, port = 443, isOverride = false) => operators.resolve({ host, port, isOverride });

describe('the operator of a registry server', () => {
  it.each([
    ['rdap.verisign.com', 'verisign'],
    ['whois.verisign-grs.com', 'verisign'],
    ['tld-rdap.verisign.com', 'verisign'],
    ['rdap.identitydigital.services', 'identity-digital'],
    ['pubapi.registry.google', 'google'],
    ['rdap.centralnic.com', 'centralnic'],
    ['rdap.nominet.uk', 'nominet'],
    ['rdap.denic.de', 'denic'],
    ['rdap.nic.club', 'godaddy-registry'],
    ['rdap.publicinterestregistry.org', 'pir'],
    ['whois.iana.org', 'iana'],
  ])('is known by the host: %s belongs to %s', (host, operator) => expect(of(host)).toBe(operator));

  it('is named after the registrable domain if the table lacks the host', () => {
    expect(of('rdap.registro.br')).toBe('registro.br');
    expect(of('whois.nic.co.example')).toBe('co.example');
    expect(of('192.0.2.7', 43)).toBe('192.0.2.7');
  });

  it('is matched by whole labels: rdap.notdenic.de does not belong to denic', () => {
    expect(of('rdap.notdenic.de')).toBe('notdenic.de');
  });

  it('is host and port for a configured override, unless the table lists the host', () => {
    expect(of('rdap.registry.example', 8_443, true)).toBe('rdap.registry.example:8443');
    expect(of('rdap.registry.example', 8_443)).toBe('registry.example');
    expect(of('rdap.verisign.com', 443, true)).toBe('verisign');
  });

  it('is taken from LOOKUP_BUDGETS_FILE, where an entry with a port precedes one without', () => {
    const file = {
      operators: { one: { hosts: ['127.0.0.1:8043'] }, two: { hosts: ['127.0.0.1'] }, mine: { hosts: ['denic.de'] } },
    };
    const filed = new OperatorResolver(readConfig({ LOOKUP_BUDGETS_FILE: budgetsFile(file) }));
    expect(filed.resolve({ host: '127.0.0.1', port: 8_043, isOverride: true })).toBe('one');
    expect(filed.resolve({ host: '127.0.0.1', port: 9_043, isOverride: true })).toBe('two');
    expect(filed.resolve({ host: 'whois.denic.de', port: 43, isOverride: false })).toBe('mine');
  });
});

describe('the query budget of a registry operator', () => {
  it('is the default if the table does not list the operator', () => {
    expect(operators.budgetFor('registro.br')).toEqual({ perSecond: 1, burst: 5, concurrency: 2 });
    expect(operators.budgetFor('rdap.registry.example:8443')).toEqual(operators.budgetFor('registro.br'));
    expect(operators.budgetFor('constructor')).toEqual(operators.budgetFor('registro.br'));
    expect(operators.budgetFor('8.8.8.8:443')).toEqual(operators.budgetFor('registro.br'));
  });

  it.each(['127.0.0.1:8043', '10.1.2.3:43', '[::1]:8043', 'registry:43'])(
    'has no rate limit by default for a server in the local network: %s',
    (own) => {
      expect(operators.budgetFor(own)).toMatchObject({ perSecond: 0 });
      const file = budgetsFile({ default: { per_second: 2 } });
      expect(new OperatorResolver(readConfig({ LOOKUP_BUDGETS_FILE: file })).budgetFor(own)).toMatchObject({
        perSecond: 2,
      });
    },
  );
});
