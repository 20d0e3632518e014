import { describe, expect, it } from '@jest/globals';
import { judged } from './whois-answers.js';

describe('a WHOIS message about the server', () => {
  it.each([
    'No whois information is available for this tld',
    'No records found for this TLD',
    'No records found for tld',
    'TLD not found',
    'Zone not found',
    'Unknown TLD',
    'Whois server not found',
    'The WHOIS server for example.tld was not found',
    'Server not found',
    'Not found on this server',
    'Unknown server',
    'Domain server not found',
    'Domain name server not found',
    'No matching server found',
    'The requested system does not exist',
    'Unknown database',
    'Database not found',
    'No matching database found',
    'The domain registry database was not found',
    'Registry not found',
    'No domain registry found',
    'No matching registrar',
    'Unknown query',
    'Unknown request',
    'Query not found',
    'No results from database',
    'No result from server',
    'No data from registry currently',
    'No data available',
    'No information available currently',
    'No data in database',
    'Object not found in secondary database, ask primary',
    'No match in cache database',
    'You are not registered',
    'Your system is not registered',
    'Response not found',
  ])('does not mean that the queried name is available: %s', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });

  it.each([
    'Base de données introuvable',
    'Registro non trovato',
    'Servidor no encontrado',
    'No existe la base de datos',
    'No hay datos',
    'Server nicht gefunden',
    'Datenbank nicht gefunden',
    'TLD nicht gefunden',
    'Server niet gevonden',
    'Commande inconnue',
    'Сервер не найден',
    'База данных не найдена',
    'Serwer nie istnieje',
    '找不到服务器',
  ])('does not mean in another language that the queried name is available: %s', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^registry_answer_unusable/);
  });
});

describe('a WHOIS message about the queried name', () => {
  it.each([
    'Domain not found in this system',
    'No matching objects in our database',
    'No entries found in the AFNIC Database.',
    'No information available about domain name example.tld in the Registry NASK database.',
    'The requested domain was not found in the Registry or Registrar’s WHOIS Server.',
    'We could not find the requested domain on our system',
    'This server does not have any data for example.tld',
    'Whois: example.tld not found',
    'Nothing found for this query.',
    'Not found in database',
  ])('means available, whatever else it mentions: %s', (answer) => {
    expect(judged('example.tld', answer)).toMatch(/^absent/);
  });
});
