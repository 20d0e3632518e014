import { describe, expect, it } from '@jest/globals';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { NAME, notice, reply, verdictOf } from './rdap-reply.js';

const saying = (body: Record<string, unknown>) => verdictOf(reply(404, body));

describe('an RDAP 404 with a notice or terms', () => {
  it.each([
    ['Reserved by registry policy', 'not available for registration'],
    ['Reserved by registry policy', ''],
    ['About this domain', 'This name is reserved by the registry'],
    ['Registry policy', 'This name is blocked'],
    ['Registration conditions', 'Domain reserved for holders of a trade mark, see https://registry.example/'],
    ['Terms', 'Reserved'],
    ['Policy', 'Nombre reservado'],
    ['Reserved name policy', `Long. ${'You agree to use it as is for lawful purposes only. '.repeat(30)}`],
  ])('means reserved if the notice says "%s: %s"', (title, description) => {
    expect(saying(rdapNotFound(notice(title, description)))).toBe('reserved by rdap.404.reserved');
  });

  it('means throttled if a notice reports an exceeded limit, unusable if an outage', () => {
    const limit = notice('Terms of use', 'You have exceeded the query limit.');
    expect(saying(rdapNotFound(limit))).toBe('registry_throttled by rdap.404.quota');
    const trouble = notice('About this service', 'The service is unavailable.');
    expect(saying(rdapNotFound(trouble))).toBe('registry_answer_unusable by rdap.404.refused');
  });

  it.each([
    ['Terms of Service', 'By querying our database, you agree to these terms. Access to data may be restricted.'],
    ['Terms of Use', 'Service subject to Terms of Use.'],
    ['Data Policy', 'Access to personal data is restricted. Some data has been redacted.'],
    ['Terms', 'Excessive queries are throttled and addresses will be blocked.'],
    ['Copyright', 'Todos los derechos reservados.'],
    ['Privacy Policy', 'We process your IP address. Queries exceeding limits are blocked.'],
    ['Notice', 'Our policies can be found at https://registry.example/'],
  ])('means not found despite this notice: "%s: %s"', (title, description) => {
    expect(saying(rdapNotFound(notice(title, description)))).toBe('absent by rdap.404');
  });

  it('means not found even if the terms are split into short lines', () => {
    const lines = [
      'Any commercial use of information from',
      'the service, including targeted marketing, is prohibited.',
    ];
    expect(saying(rdapNotFound(notice('Terms of use', ...lines)))).toBe('absent by rdap.404');
  });
});

describe('an RDAP 404 in another language', () => {
  it.each([
    'Dominio reservado',
    'Der Name ist reserviert',
    'Ce nom est réservé',
    'Dominio riservato',
    'Deze naam is gereserveerd',
    'Имя зарезервировано',
    'Nome bloqueado',
    '保留域名',
  ])('means reserved if it says "%s"', (words) => {
    expect(saying(rdapNotFound({ description: [words] }))).toBe('reserved by rdap.404.reserved');
    expect(saying(rdapNotFound(notice('Notice', words)))).toBe('reserved by rdap.404.reserved');
  });

  it.each(['Domain nicht gefunden', 'Dominio no encontrado', 'El dominio no existe', 'Domaine introuvable'])(
    'means not found if it says "%s"',
    (words) => {
      expect(saying({ errorCode: 404, title: words })).toBe('absent by rdap.404');
    },
  );
});

describe('an RDAP 404 with a message', () => {
  it.each([
    'Server busy',
    'Backend offline',
    'database connection failed',
    'Gateway error',
    'The database is being rebuilt',

    'Tenant not found',
    'Unknown host',
    'No such tenant',
    'Unknown application',
    'Server not found',
    'TLD not found',
    'Zone not found',
    'Database not found',
    'The domain other.com was not found',
    'other.com does not exist',
    'Domain not available',
    'This domain is already registered',
    'Response of the standby server',
    'Servidor no encontrado',
    'Consulta no válida',
    'Servicio no disponible',
    'Serveur en maintenance',
    'Server nicht gefunden',
    'Ungültige Anfrage',
    'TLD non trouvé',
    'Сервер недоступен',
    'サーバが見つかりません',
    'Server non disponibile',
    'Serviço indisponível',
    'Dienst niet beschikbaar',
    '服务暂时不可用',
  ])('is unusable if the message is not that the queried name does not exist: "%s"', (words) => {
    const verdict = 'registry_answer_unusable by rdap.404.refused';
    expect(saying({ errorCode: 404, title: words })).toBe(verdict);
    expect(saying(rdapNotFound({ description: [words] }))).toBe(verdict);
    expect(saying(rdapNotFound(notice('Notice', words)))).toBe(verdict);
  });

  it.each([
    'Object not found',
    'DOMAIN_NOT_FOUND',
    'The requested resource was not found',
    'No matching records found',

    `The domain ${NAME} was not found`,
    `Domain ${NAME} is not registered`,
    'Unknown domain',
    'Error 404 - Not found',
    `No RDAP record found for ${NAME}`,
    'The object requested was not found in our database',
  ])('means not found if the message is "%s"', (words) => {
    expect(saying({ errorCode: 404, title: words })).toBe('absent by rdap.404');
    expect(saying(rdapNotFound({ description: [words] }))).toBe('absent by rdap.404');
  });
});

describe('an RDAP 404 with members of a record', () => {
  it.each([
    [{ status: ['active'], ldhName: NAME }, 'contradiction'],
    [{ status: ['free', 'active'] }, 'contradiction'],
    [{ handle: 'D-1' }, 'contradiction'],
    [{ ldhName: 'other.com' }, 'other_name'],
    [{ unicodeName: 'other.com' }, 'other_name'],
    [{ ldhName: NAME, unicodeName: 'other.com' }, 'other_name'],
    [{ ldhName: [] }, 'other_name'],
  ])('is unusable if it contains %j', (members, rule) => {
    expect(saying(rdapNotFound(members))).toBe(`registry_answer_unusable by rdap.404.${rule}`);
  });

  it('means not found if it only repeats the queried name or the status code', () => {
    expect(saying(rdapNotFound({ ldhName: NAME.toUpperCase() }))).toBe('absent by rdap.404');
    expect(saying(rdapNotFound({ status: 404 }))).toBe('absent by rdap.404');
  });

  it('means reserved if its status is "reserved"', () => {
    expect(saying(rdapNotFound({ ldhName: NAME, status: ['reserved'] }))).toBe('reserved by rdap.404.reserved');
  });
});
