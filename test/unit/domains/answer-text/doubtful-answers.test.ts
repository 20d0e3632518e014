import { describe, expect, it } from '@jest/globals';
import { rdapNotFound } from '../../../support/builders/rdap-answers.js';
import { notice, reply, verdictOf } from '../rdap/rdap-reply.js';
import { judged } from '../whois/whois-answers.js';

/**
 * Server errors, rate limits, other zones' servers, taken and reserved names: none of them in words that a rule
 * quotes.
 */
const SENTENCES = [
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
];

describe('an absence does not count beside the sentence', () => {
  it.each(SENTENCES)('%s', (sentence) => {
    expect(judged('example.tld', sentence)).not.toMatch(/^absent/);
    expect(judged('example.tld', ['NOT FOUND', sentence])).not.toMatch(/^absent/);
    expect(judged('example.tld', [sentence, 'Domain: example.tld', 'Status: free'])).not.toMatch(/^absent/);
    expect(verdictOf(reply(404, { errorCode: 404, title: sentence }))).not.toMatch(/^absent/);
    expect(verdictOf(reply(404, rdapNotFound({ description: [sentence] })))).not.toMatch(/^absent/);
    expect(verdictOf(reply(404, rdapNotFound(notice('Notice', sentence))))).not.toMatch(/^absent/);
  });

  it('in RDAP text that no rule understands', () => {
    const unknown = { errorCode: 404, title: 'Lorem ipsum dolor sit amet' };
    expect(verdictOf(reply(404, unknown))).toBe('registry_answer_unusable by rdap.404.refused');
    expect(verdictOf(reply(404, { ...unknown, description: ['No such domain'] }))).toBe(
      'registry_answer_unusable by rdap.404.refused',
    );
  });
});
