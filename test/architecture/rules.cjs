/**
 * Which folder may import which. Each rule has a violation in planted.ts, on which rules.test.ts sees it fire. Paths are
 * those of the files resolved, so that an import by another spelling is the same import.
 */
const MODULE = '(domains|watchlist|notifications|auth)';
const OWN = '^src/$1/';
const KERNEL = '^src/kernel/';
const CONFIG = '^src/config/';
const LANGUAGE = `^src/${MODULE}/language[.]ts$`;
const DOOR = `^src/${MODULE}/(index|language)[.]ts$`;
/** How a module shows its words over HTTP, for other modules' answers that hold them. */
const VIEWS = `^src/${MODULE}/views[.]ts$`;
/** What a route takes and answers. */
const HTTP = `^src/${MODULE}/.+([.](controller|dto|guard)|-views?)[.]ts$`;
const CONTROLLER = `^src/${MODULE}/.+[.]controller[.]ts$`;
const PROCESSOR = `^src/${MODULE}/.+[.]processor[.]ts$`;
/** What speaks SQL and knows the tables. */
const STORAGE = `^src/${MODULE}/(.+[.](repository|sql)|.*(mappings|columns?-types|select-columns|metrics))[.]ts$`;
const SQL = `^src/${MODULE}/.+[.]sql[.]ts$`;
const NEST_MODULE = `^src/${MODULE}/.+[.]module[.]ts$`;
/** Where the modules are put together: the Nest applications, the processes they serve in, and the ORM's mappings. */
const COMPOSITION = '^src/(app|extensions)/';

/** The packages that show how Namewatch is extended. */
const EXTENSIONS = '^examples/(slack-channel|registrar-lookup|sso-and-billing|ledger|outbox|inside-nest)/';

const npm = (names) => `(^|/)node_modules/(@types/)?(${names})/`;
const node = (names) => `^(node:)?(${names})$`;
/** What computes and touches nothing. */
const PURE_NODE = node('crypto|url|net');
const ORM = npm('@mikro-orm/[^/]+|kysely|pg');
const QUEUE = npm('@nestjs/bullmq|bullmq|ioredis');

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule(
      'kernel-imports-nothing',
      'The kernel is plain TypeScript that everything may use, with uuid for its ids and zlib for a CRC-32.',
      { path: KERNEL },
      { pathNot: [KERNEL, npm('uuid'), node('zlib')] },
    ),
    rule(
      'platform-knows-no-module',
      'The platform is technology: it offers ports and wiring, the modules bring the meaning.',
      { path: '^src/platform/' },
      { path: '^src/', pathNot: [KERNEL, CONFIG, '^src/platform/'] },
    ),
    rule(
      'config-owns-its-types',
      'Every module reads the configuration: what it holds is said in its own words and the kernel’s, not in theirs.',
      { path: CONFIG },
      { path: '^src/(auth|domains|watchlist|notifications|platform)/' },
    ),
    rule(
      'domain-is-pure',
      'A domain imports its own words, the kernel, another module’s language, and nothing that does anything.',
      { path: `^src/${MODULE}/domain/` },
      { pathNot: [`${OWN}domain/`, KERNEL, LANGUAGE, npm('tr46|tldts|luxon'), PURE_NODE] },
    ),
    rule(
      'controllers-serve-routes-only',
      'A controller translates a request; what others need of it belongs into a service, a DTO or a view.',
      { path: `^src/${MODULE}/`, pathNot: [NEST_MODULE, `^src/${MODULE}/routes[.]ts$`] },
      { path: CONTROLLER },
    ),
    rule(
      'processors-serve-queues-only',
      'A processor translates a job; what others need of it belongs into a service.',
      { path: `^src/${MODULE}/`, pathNot: NEST_MODULE },
      { path: PROCESSOR },
    ),
    rule(
      'repositories-know-no-callers',
      'A repository stores and finds; how a request or a job looks is not its business.',
      { path: STORAGE },
      { path: [HTTP, PROCESSOR, `^src/${MODULE}/.+[.]service[.]ts$`] },
    ),
    rule(
      'sql-stays-in-repositories',
      'A statement is part of the repository that runs it; the watchlist lends the condition of what needs action.',
      { path: '^src/', pathNot: [STORAGE, '^src/platform/', NEST_MODULE, '^src/watchlist/language[.]ts$'] },
      { path: SQL },
    ),
    rule(
      'modules-are-entered-by-their-doors',
      'index.ts offers a module’s services, language.ts its words, views.ts how they are shown; the rest is its own.',
      { path: `^src/(?:${MODULE}/)?`, pathNot: [COMPOSITION, NEST_MODULE] },
      { path: `^src/${MODULE}/`, pathNot: [OWN, DOOR, VIEWS] },
    ),
    rule(
      'nest-modules-take-nest-modules',
      'For the container a Nest module is what another module offers; its parts are as hidden as behind index.ts.',
      { path: NEST_MODULE },
      { path: `^src/${MODULE}/`, pathNot: [OWN, DOOR, NEST_MODULE] },
    ),
    rule(
      'composition-takes-modules-and-mappings',
      'What puts the application together takes each module’s doors, Nest module and mappings, and no part of them.',
      { path: COMPOSITION },
      { path: `^src/${MODULE}/`, pathNot: [DOOR, VIEWS, NEST_MODULE, `^src/${MODULE}/mappings[.]ts$`] },
    ),
    rule(
      'domains-is-a-leaf',
      'What registries say about a name is true whether anybody watches it or not.',
      { path: '^src/domains/' },
      { path: '^src/(watchlist|notifications)/' },
    ),
    rule(
      'facts-have-no-account',
      'What registries say about a name is the same for everybody; only the routes know who is asking.',
      { path: '^src/domains/', pathNot: [HTTP, NEST_MODULE] },
      { path: '^src/auth/' },
    ),
    rule(
      'auth-is-a-leaf',
      'Every module uses auth; auth uses no other module.',
      { path: '^src/auth/' },
      { path: `^src/${MODULE}/`, pathNot: '^src/auth/' },
    ),
    rule(
      'watchlist-does-not-notify',
      'The watchlist publishes events; notifications deliver them.',
      { path: '^src/watchlist/' },
      { path: '^src/notifications/' },
    ),
    rule(
      'notifications-use-language-only',
      'Notifications know the watchlist’s events and whose channel it is, and ask no service about names.',
      { path: '^src/notifications/' },
      { path: '^src/(watchlist|domains)/', pathNot: '^src/watchlist/language[.]ts$' },
    ),
    rule(
      'database-stays-in-repositories',
      'SQL and mappings live in repositories and the platform; a module file may hand them to Nest.',
      {
        path: '^src/',
        pathNot: [STORAGE, '^src/(platform|migrations|testing)/', '^src/mikro-orm[.]ts$', NEST_MODULE, COMPOSITION],
      },
      { path: ORM },
    ),
    rule(
      'queue-stays-in-jobs',
      'A queue only wakes workers up: jobs enqueue and process, the rest of the service does not know it.',
      {
        path: '^src/',
        pathNot: [
          `^src/${MODULE}/.+([.]processor|-claims|-wake-ups)[.]ts$`,
          '^src/platform/',
          NEST_MODULE,
          COMPOSITION,
        ],
      },
      { path: QUEUE },
    ),
    rule(
      'migrations-stand-alone',
      'A migration that imports today’s code would do something else tomorrow.',
      { path: '^src/migrations/' },
      { path: '^src/', pathNot: '^src/migrations/' },
    ),
    rule(
      'production-stands-alone',
      'What ships does not import what tests it, measures it or shows it.',
      { path: '^src/' },
      { path: '^(test|examples|tools|docs)/' },
    ),
    rule(
      'service-imports-no-testing',
      'What extensions test with starts the service; the service does without it.',
      { path: '^src/', pathNot: '^src/testing(/|[.]ts$)' },
      { path: '^src/testing(/|[.]ts$)' },
    ),
    rule(
      'production-uses-no-development-package',
      'The image is installed without development packages.',
      { path: '^src/' },
      { dependencyTypes: ['npm-dev'], pathNot: '(^|/)node_modules/@types/' },
    ),
    rule(
      'packages-are-declared',
      'A package that package.json does not name comes and goes with the dependencies of others.',
      { path: '^src/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule(
      'no-cycles',
      'Files that need each other, by their types alone too, cannot be understood, loaded or changed one at a time.',
      { path: '^src/' },
      { circular: true },
    ),
    rule(
      'examples-use-the-package',
      'An extension sees what is published: `namewatch` and its entries, packages and its own files.',
      { path: EXTENSIONS },
      {
        pathNot: ['^examples/$1/', '(^|/)src/(kit|nest|mikro-orm|testing)[.]ts$', npm('.+')],
        dependencyTypesNot: ['core'],
      },
    ),
    rule(
      'examples-name-the-package',
      'A path to the sources of Namewatch leads nowhere where the extension is installed.',
      { path: EXTENSIONS },
      { path: '(^|/)src/(kit|nest|mikro-orm|testing)[.]ts$', dependencyTypesNot: ['aliased'] },
    ),
    rule(
      'examples-declare-their-packages',
      'An extension has only the packages that its own package.json names.',
      { path: EXTENSIONS },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: npm('@types/node') },
    ),
    rule('no-orphans', 'A file without imports in either direction is forgotten.', { orphan: true, path: '^src/' }, {}),
  ],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
