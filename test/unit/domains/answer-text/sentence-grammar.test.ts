import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { classifySentence, type SentenceMeaning } from '../../../../src/domains/answer-text/sentence-grammar.js';
import { extractSentences } from '../../../../src/domains/answer-text/sentences.js';
import { DomainName } from '../../../../src/domains/domain/name/domain-name.js';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { notice, reply, verdictOf } from '../rdap/rdap-reply.js';
import { judged } from '../whois/whois-answers.js';

const NAME = 'example.com';
const meaningsOf = (text: string) =>
  extractSentences([{ text }], DomainName.restore(NAME)).map((sentence) => classifySentence(sentence).kind);

/** Each kind of meaning, with sentences as registries write them and as nobody has written them yet. */
const EXAMPLES: Record<Exclude<SentenceMeaning['kind'], 'service' | 'doubtful' | 'throttled'>, readonly string[]> = {
  denied: [
    'Object not found',
    'Domain not found.',
    'The requested resource was not found',
    'No match for "EXAMPLE.COM".',
    'The RDAP server has no information about the requested domain',
    "This server doesn't have information about the requested domain",
    'Error 404 - Not found',
    'The domain example.com is available for registration',
    'This server does not have any data for example.com',
  ],
  reserved: [
    'This name is reserved by the registry',
    'The domain is not available for registration',
    'Registration of this name is not permitted.',
    'example.com is blocked',
    'Dominio reservado',
  ],
  released: [
    'This domain is available in the Expiry Access Period',
    'Available via the Identity Digital Dropzone service',
  ],
  premium: ['This is a premium name'],
  taken: [
    'Domain example.com is not available',
    'This domain is already registered',
    'The domain is only open to members',
    'Dominio registrado',
  ],
  terms: [
    'Rate Limit Notice',
    'Terms of Use',
    'Access is rate limited.',
    'Clients that exceed the limit are blocked.',
    'Rate Limit is maxed at 10 queries per 1 minutes.',
    'A maximum of 30 queries per minute is allowed',
    'Users exceeding 100 requests per hour will be throttled',
    'Excessive queries are throttled and addresses will be blocked.',
    'IP addresses from which too many queries are sent get banned',
    'Query limits: 10 per second, 500 per day',
    'By submitting a query you agree to these terms',
    'The data is for information purposes only.',
    'We do not guarantee its accuracy.',
    'Queries may be refused if they are too frequent',
    'You are not authorized to access our database through automated, high-volume processes',
    'All rights reserved.',
    'Rate limits apply to this service.',
    'We rate limit queries to ensure fair use.',
    'The number of queries per day is limited',
    'Throttling is in effect',
    'Blocked clients have to write to the registry, see our policy',
  ],
  decoration: [
    'Status Codes',
    'NIC Example WHOIS server version 2.1',
    'This is the Example Registry Whois server.',
    'Last update of WHOIS database: 2026-05-12T14:15:51Z',
    'For more information visit https://registry.example/whois',
    'The Registry database contains only .COM and .NET domains',
  ],
  unknown: ['Lorem ipsum dolor sit amet', 'The moon is made of cheese', 'The domain other.com was not found'],
};

/** They are about the server, the service, the zone, the TLD or the query, or say that the name is taken or reserved. */
const DOUBTS = [
  "The RDAP server doesn't have information about the requested zone",
  'The requested TLD is not hosted by this server',
  'This server does not hold data for this TLD',
  'Domain is outside the scope of this server',
  'Server is in read-only mode, results may be incomplete',
  'The requested zone is not hosted by this server.',
  'Zone not found',
  'This zone is served elsewhere',
  'The TLD has moved to a new registry',
  'We are not responsible for this extension',
  'We no longer operate this TLD',
  'This suffix belongs to a different operator',
  'This registry does not manage such domains',
  'Our server has no authority over this namespace',
  'Only .net and .org are served here',
  'This server only answers for .net',
  'Wrong registry',
  'Please query the authoritative server',
  'Try whois.nic.net for this domain',
  'This query was redirected to another server',
  'The database is being rebuilt',
  'Database rebuild in progress',
  'The registry is under maintenance',
  'This mirror is stale',
  'You are using a stale mirror',
  'Partial results',
  'Results may be partial',
  'Data is out of date',
  'The index is not complete yet',
  'Answered from cache',
  'Reply of the backup node',
  'Emergency operation',
  'Running with reduced data set',
  'Not all zones are loaded',
  'Data for this zone is still loading',
  'The zone file could not be loaded',
  'Synchronisation with the master is delayed',
  'This is a test environment',
  'Service temporarily unavailable',
  'Unexpected backend exception',
  'The system is currently overloaded',
  'Your query could not be processed',
  'Queries for this zone are not permitted',
  'This registry accepts no queries for .com',
  'Refer to the registry of the TLD',
  'Please use the RDAP service of the registry',
  'See registry of .net',
  'Registry data may be delayed',
  'Data may not be up to date',
  'Access limited to accredited registrars',
  'Unsupported extension',
  'The service moved to rdap.example.net',
  'Some shards did not respond',
  'Query type not supported',
  'Our registry platform is experiencing problems at the moment',
  'We are currently unable to serve your request',
  'Service interrupted',
  'The lookup service has been switched off',
  'Whois data could not be loaded',
  'Please come back tomorrow',
  'This server is not authoritative for .tld',
  'Please ask whois.nic.other for this name',
  'This server only answers for .com',
  'The TLD is operated by another registry',
  'Your query was not understood',
  'Malformed query',
  'Empty query',
  'Not a valid domain',
  'This name has been set aside by the registry',
  'This label is on our block list',
  'Name withheld from registration',
  'The string is not allowed',
  'Registration suspended',
  'This domain is not for sale',
  'Not eligible for registration',
  'The domain is subject to a dispute',
  'Requests from your network are no longer accepted',
  'You have used up your daily allowance',
  'Slow down',
  'Estamos experimentando problemas técnicos',
  'Este servidor solo responde por .com',
  'Este nombre no puede registrarse',
  'Ha superado el número de consultas permitidas',
  'La consulta no se entiende',
  'Nous rencontrons des difficultés techniques',
  'Ce serveur ne gère que .com',
  'Ce nom ne peut pas être enregistré',
  'Vous avez dépassé votre quota',
  'Requête mal formée',
  'Wir haben technische Probleme',
  'Dieser Server ist nur für .com zuständig',
  'Dieser Name kann nicht registriert werden',
  'Sie haben Ihr Kontingent aufgebraucht',
  'Die Abfrage ist fehlerhaft',
  'Abbiamo problemi tecnici',
  'Questo server risponde solo per .com',
  'Questo nome non può essere registrato',
  'Hai superato il numero di richieste',
  'Richiesta errata',
  'Nós temos problemas técnicos',
  'Este nome não pode ser registrado',
  'Você excedeu o número de consultas',
  'У нас технические проблемы',
  'Этот сервер обслуживает только .com',
  'Это имя нельзя зарегистрировать',
  'Превышено число запросов',
  'Ошибка в запросе',
  'Deze naam kan niet worden geregistreerd',
  'We hebben technische problemen',
  'U heeft te vaak gezocht',
  'Domain registriert',
  'Dominio registrado',
  'Le domaine est déjà enregistré',
  'Домен зарегистрирован',
  'Dominio bloqueado por orden judicial',
  'Domain wegen Rechtsstreit gesperrt',
  'Database is being rebuilt.',
  'Standby server, replication lag 3 h',
  'The service will be back at 12:00',
  'System is read only',
  'Index out of date',
  'Backend not ready',
  'Data are being updated',
  'Server restarting',
  'Answer of the secondary server',
  'Servidor fuera de servicio',
  'Servicio no disponible',
  'Consulta no válida',
  'Service indisponible',
  'Serveur en maintenance, réessayez plus tard',
  'Server nicht erreichbar',
  'Wartungsarbeiten',
  'Ungültige Anfrage',
  'Server non disponibile',
  'Serviço indisponível',
  'Dienst niet beschikbaar',
  'Serwis niedostępny',
  'Сервер недоступен',
  'Неверный запрос',
  '服务暂时不可用',
  'メンテナンス中',
  'Gesperrte Domain: gesperrt',
  'Dominio bloccato',
  'Nazwa zarezerwowana',
  '禁止注册',
  'Domain example.com is no longer available',
  'This domain name has expired and is available for renewal',
  'Domain is pending delete and will be available on 2027-01-01',
  'example.com is available for backorder',
  'example.com is available at auction',
  'Domain example.com is available in the landrush phase',
  'The name is available only to members',
  'The domain example.com is not registered with us.',
  'Please log in to see whether example.com is available',
  'DPML Block: Domain not available',
  'Database connection not found',
  'Could not retrieve Whois data',
  'Whois lookup error',
  'There was no answer from the registry',
  'Available: No',
  'Dominio reservado',
  'Nom réservé',
  'Diese Domain ist gesperrt',
  'Слишком много запросов',
  'Demasiadas consultas',
  '保留域名',
  '<html><head><title>Not found</title></head>',
];

/** Everywhere an absence may be said. */
const DENIALS_WITH: readonly (readonly [where: string, (sentence: string) => string])[] = [
  [
    'in the description',
    (sentence) => verdictOf(reply(404, { errorCode: 404, title: 'Object not found', description: [sentence] })),
  ],
  ['in the same line', (sentence) => verdictOf(reply(404, { errorCode: 404, title: `Object not found. ${sentence}` }))],
  ['in a notice', (sentence) => verdictOf(reply(404, rdapNotFound(notice('Notice', sentence))))],
  ['in WHOIS below', (sentence) => judged(NAME, ['Object not found.', sentence])],
  ['in WHOIS above', (sentence) => judged(NAME, [`% ${sentence}`, '', 'No match for "EXAMPLE.COM".'])],
  ['in the same WHOIS line', (sentence) => judged(NAME, `Object not found. ${sentence}`)],
  ['beside a status', (sentence) => judged(NAME, [sentence, `Domain: ${NAME}`, 'Status: free'])],
];

/** In place of a denial, or beside one that counts at a single registry. */
const WITHOUT_DENIAL: typeof DENIALS_WITH = [
  ['as the title', (title) => verdictOf(reply(404, { errorCode: 404, title }))],
  ['alone in WHOIS', (sentence) => judged(NAME, sentence)],
  [
    'beside words that only .lk uses',
    (sentence) => judged('example.lk', ['This Domain is not available in our whois database', sentence]),
  ],
];

describe.each(Object.entries(EXAMPLES))('a sentence of the kind "%s"', (kind, sentences) => {
  it.each(sentences)('is recognised: %s', (sentence) => expect(meaningsOf(sentence)).toEqual([kind]));
});

describe('a not-found answer with a contradicting sentence', () => {
  it.each([...DOUBTS, ...EXAMPLES.unknown])('is not trusted beside: %s', (sentence) => {
    for (const [where, verdict] of [...DENIALS_WITH, ...WITHOUT_DENIAL]) {
      const said = verdict(sentence);
      if (/^absent/.test(said)) throw new Error(`${where}: ${said}`);
    }
  });

  it('is not trusted even if the sentence is in a paragraph of terms of use', () => {
    const terms = [
      'The information in this database is provided for information purposes only and without any',
      'warranty.',
    ];
    const state = [
      'The requested zone is not hosted by this server, so that nothing that it says of names',
      'below this zone can be relied on.',
    ];
    expect(judged(NAME, [...terms, '', 'No match for "EXAMPLE.COM".'])).toMatch(/^absent/);
    expect(judged(NAME, [...terms, ...state, '', 'No match for "EXAMPLE.COM".'])).toMatch(/^registry_answer_unusable/);
  });
});

describe('a not-found answer with terms of use', () => {
  it.each([...EXAMPLES.terms, ...EXAMPLES.decoration])('is still trusted beside: %s', (sentence) => {
    for (const [where, verdict] of DENIALS_WITH) {
      const said = verdict(sentence);
      if (!/^absent/.test(said)) throw new Error(`${where}: ${said}`);
    }
    expect(verdictOf(reply(404, rdapNotFound(notice('Terms of Use', sentence))))).toBe('absent by rdap.404');
  });
});

describe('a not-found answer with a sentence of unknown words', () => {
  const syllable = fc.constantFrom('ba', 'ko', 'mir', 'tel', 'zu', 'sta', 'ver', 'lom', 'qui', 'dra');
  const word = fc.array(syllable, { minLength: 2, maxLength: 4 }).map((parts) => parts.join(''));
  const known = fc.constantFrom(
    'the',
    'this',
    'domain',
    'server',
    'zone',
    'registry',
    'is',
    'for',
    'of',
    'data',
    'was',
    'by',
  );
  const sentence = fc
    .tuple(fc.array(word, { minLength: 4, maxLength: 7 }), fc.array(known, { maxLength: 4 }), fc.nat())
    .map(([foreign, usual, seed]) =>
      usual.reduce((words, each, at) => insert(words, each, seed + at * 7), foreign).join(' '),
    );
  const insert = (words: readonly string[], each: string, at: number) =>
    words.toSpliced(at % (words.length + 1), 0, each);

  it('is never trusted', () => {
    fc.assert(
      fc.property(sentence, fc.constantFrom(...DENIALS_WITH), (unknown, [, verdict]) => {
        const said = `${unknown.charAt(0).toUpperCase()}${unknown.slice(1)}.`;
        expect(verdict(said)).not.toMatch(/^absent/);
      }),
      { numRuns: 500 },
    );
  });
});
