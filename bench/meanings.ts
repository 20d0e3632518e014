/** What the figures of each suite mean for those who run the service; docs/performance.md prints it. */
export const MEANINGS: Readonly<Record<string, string>> = {
  backups:
    'What people notice while `namewatch backup` copies the service that answers them: their p99, against their p99 without ' +
    'it. How long a backup takes beside these requests, and how long a restore.',
  checks:
    'How fast `GET /v1/domains/check` answers. A known name is answered from the cache; a live check asks the registry, ' +
    'here one on loopback that answers at once, so that what remains is the cost of the service itself.',
  claims:
    'How long a scheduler takes to claim 10 000 due names. The baseline is the smallest table, so a ratio near 1 says ' +
    'that claims cost the same however many names are watched. PostgreSQL has a quarter of the memory for its buffers, ' +
    'and has read the names before.',
  costs:
    'Processor time per unit of work, of the service, of PostgreSQL and of Redis. What a core carries a second is a ' +
    'million divided by this; [scaling.md](scaling.md) does that arithmetic.',
  dashboard:
    'How long a browser that has cached nothing takes to show the watchlist, and how much it loads. The baseline is a page of ' +
    'one word, so that the difference is the dashboard and its requests.',
  deliveries:
    'How many webhook attempts are made and recorded in a second, against a bare loop that signs and posts the same ' +
    'bodies and records nothing. The figures beside hanging receivers say how much a receiver that never answers delays others.',
  footprint:
    'What the service in one process with its own PostgreSQL takes of a machine; the baseline differs by the flags of Node.',
  finding:
    'How long a person with 100 000 names waits for the first page, a search and a filter, against the newest 50 names. Side by ' +
    'side: as an import leaves them; each on a page of its own: the worst that mixed additions can do. And what changes of ' +
    'entries take with the columns, indexes and triggers of finding, against without.',
  import: 'How long an uploaded CSV takes until its names are watched, against bare inserts of the same rows.',
  lag:
    'How late a check is recorded after the name fell due, with names that fall due evenly at half of what the machine ' +
    'can check. The service promises intervals: this is what it adds to them.',
  list: 'How many list pages are answered in a second, against a bare Fastify server that runs the same SQL.',
  memory: 'How much memory a worker holds at full load and afterwards; the rows differ by the flags of Node.',
  mixed: 'What people notice while the same service checks names at full rate: their p99, against the idle p99.',
  neighbours:
    'What one account notices while another one is busy within its own limits: its p99, against its p99 while no other account is.',
  operations:
    'How long operations on very many rows take, how long they make others wait, and how much memory they add.',
  pages: 'Whether the last page of a long list is as fast as the first.',
  'slow-servers':
    'What a slow PostgreSQL or a pausing Redis costs: checks become slower in proportion, and every name is checked. A ' +
    'pause of Redis may delay them by as long as it lasts, and by the claim that follows.',
  watch:
    'How many due names are checked and recorded in a second with one process for each core, against a baseline that ' +
    'asks the same registry on the same machine.',
};
