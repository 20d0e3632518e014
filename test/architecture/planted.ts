/** Files by path, each with what it imports: files of the tree, packages, or the types of one of them. */
type Files = Readonly<Record<string, readonly string[]>>;

/** A small source tree. An imported file without an entry of its own imports nothing. */
export interface PlantedTree {
  /** The rule has to find these. */
  readonly breaks: Files;
  /** These look similar and are allowed. */
  readonly keeps?: Files;
  /** Folders with a package.json, each with its declarations. */
  readonly packages?: Readonly<Record<string, Files>>;
}

/** A tree for each import rule, by the rule's name. */
export const PLANTED: Readonly<Record<string, PlantedTree>> = {
  'kernel-imports-nothing': {
    breaks: {
      'src/kernel/machine.ts': ['node:os'], // the kernel asks the machine
      'src/kernel/settings.ts': ['type src/config/config.ts'], // a type is an import too
    },
    keeps: { 'src/kernel/identifier.ts': ['uuid'] },
  },
  'platform-knows-no-module': {
    breaks: {
      'src/platform/migrations.ts': ['src/app/orm.ts'], // the platform is given the mappings, it does not fetch them
      'src/platform/problem.filter.ts': ['type src/auth/language.ts'], // the platform speaks a module's words
    },
    keeps: { 'src/platform/connection.ts': ['type src/config/config.ts', 'src/kernel/clock.ts'] },
  },
  'config-owns-its-types': {
    breaks: {
      'src/config/budgets.ts': ['type src/domains/language.ts'], // a type of a module is a module all the same
      'src/config/config.ts': ['src/platform/pool.ts'], // the platform is configured, it does not configure
    },
    keeps: { 'src/config/plans.ts': ['type src/kernel/plan-limits.ts'] },
  },
  'domain-is-pure': {
    breaks: {
      'src/watchlist/domain/adding.ts': ['src/watchlist/entries/watchlist.service.ts'], // what is done with the domain
      'src/watchlist/domain/seen.ts': ['type src/domains/index.ts'], // another module's service, if only its type
      'src/watchlist/domain/suffixes.ts': ['node:fs'],
      'src/watchlist/domain/watch-entry.ts': ['@nestjs/common'],
    },
    keeps: {
      'src/watchlist/domain/cadence.ts': ['node:crypto', 'node:net', 'tr46'],
      'src/watchlist/domain/due.ts': ['type src/domains/language.ts', 'src/kernel/clock.ts'],
    },
  },
  'controllers-serve-routes-only': {
    breaks: { 'src/watchlist/entries/removal.ts': ['src/watchlist/entries/entry.controller.ts'] },
    keeps: {
      'src/watchlist/entries/entries.module.ts': ['src/watchlist/entries/entry.controller.ts'],
    },
  },
  'processors-serve-queues-only': {
    breaks: { 'src/watchlist/checks/check-claims.ts': ['src/watchlist/checks/check.processor.ts'] }, // past the queue
    keeps: { 'src/watchlist/watchlist.module.ts': ['src/watchlist/checks/check.processor.ts'] },
  },
  'repositories-know-no-callers': {
    breaks: {
      'src/watchlist/entries/entries.repository.ts': ['src/watchlist/entries/entries.dto.ts'],
      'src/watchlist/entries/leases.sql.ts': ['src/watchlist/entries/watchlist.service.ts'],
    },
    keeps: { 'src/watchlist/entries/watchlist.service.ts': ['src/watchlist/entries/entries.repository.ts'] },
  },
  'sql-stays-in-repositories': {
    breaks: { 'src/watchlist/checks/claim-due-names.ts': ['src/watchlist/checks/leases.sql.ts'] },
    keeps: { 'src/watchlist/checks/leases.repository.ts': ['src/watchlist/checks/leases.sql.ts'] },
  },
  'modules-are-entered-by-their-doors': {
    breaks: {
      'src/cli/check.ts': ['src/domains/domain/domain-name.ts'], // the command line comes in by the door too
      'src/watchlist/imports.ts': ['src/domains/domains.module.ts'], // a Nest module is for Nest modules
      'src/watchlist/parts.ts': ['src/domains/domain/domain-name.ts'],
    },
    keeps: { 'src/cli/doctor.ts': ['src/domains/index.ts'] },
  },
  'nest-modules-take-nest-modules': {
    breaks: { 'src/watchlist/watchlist.module.ts': ['src/domains/domain/domain-name.ts'] },
    keeps: { 'src/watchlist/check.module.ts': ['src/domains/domains.module.ts', 'src/domains/index.ts'] },
  },
  'composition-takes-modules-and-mappings': {
    breaks: {
      'src/app/app.module.ts': ['src/auth/keys/api-keys.ts'],
      'src/app/orm.ts': ['src/auth/accounts/accounts.repository.ts'],
    },
    keeps: {
      'src/app/bootstrap.ts': ['src/auth/auth.module.ts', 'src/auth/index.ts', 'src/auth/mappings.ts'],
      'src/extensions/extensions.controller.ts': ['src/auth/views.ts'],
    },
  },
  'domains-is-a-leaf': {
    breaks: {
      'src/domains/checks/check-domain.ts': ['type src/watchlist/language.ts'], // not even the watchers' words
      'src/domains/domains.module.ts': ['src/watchlist/index.ts'],
    },
    keeps: { 'src/domains/checks/checks.controller.ts': ['type src/auth/index.ts'] },
  },
  'facts-have-no-account': {
    breaks: {
      'src/domains/checks/check-domain.ts': ['src/auth/index.ts'],
      'src/domains/domain/lookup-result.ts': ['type src/auth/language.ts'],
    },
    keeps: { 'src/domains/domains.module.ts': ['src/auth/index.ts'] },
  },
  'auth-is-a-leaf': {
    breaks: {
      'src/auth/domain/plan.ts': ['type src/domains/language.ts'],
      'src/auth/keys/limits.ts': ['src/watchlist/index.ts'],
    },
  },
  'watchlist-does-not-notify': {
    breaks: { 'src/watchlist/checks/observe-name.ts': ['src/notifications/index.ts'] },
  },
  'notifications-use-language-only': {
    breaks: {
      'src/notifications/domain/event-text.ts': ['type src/domains/language.ts'], // names come with the watchlist's words
      'src/notifications/events/announce.ts': ['src/watchlist/index.ts'],
    },
    keeps: { 'src/notifications/channels/channels.ts': ['type src/auth/index.ts', 'type src/watchlist/language.ts'] },
  },
  'database-stays-in-repositories': {
    breaks: {
      'src/cli/migrate.ts': ['pg'],
      'src/watchlist/checks/check-due-names.ts': ['pg'],
      'src/watchlist/entries/watchlist.controller.ts': ['type @mikro-orm/postgresql'],
    },
    keeps: {
      'src/watchlist/entries/entries.repository.ts': ['@mikro-orm/postgresql'],
      'src/watchlist/watchlist.module.ts': ['@mikro-orm/nestjs', 'src/watchlist/entries/entries.repository.ts'],
    },
  },
  'queue-stays-in-jobs': {
    breaks: {
      'src/cli/doctor.ts': ['bullmq'],
      'src/watchlist/checks/rate-limits.ts': ['ioredis'], // Redis behind the platform's back
      'src/watchlist/entries/watchlist.controller.ts': ['bullmq'],
    },
    keeps: {
      'src/platform/queue.ts': ['bullmq'],
      'src/watchlist/checks/check.processor.ts': ['bullmq'],
    },
  },
  'migrations-stand-alone': {
    breaks: { 'src/migrations/watchlist.ts': ['src/kernel/identifier.ts'] }, // the ids of that day are not today's
    keeps: { 'src/migrations/index.ts': ['@mikro-orm/migrations', 'src/migrations/watchlist.ts'] },
  },
  'production-stands-alone': {
    breaks: {
      'src/app/bootstrap.ts': ['test/support/stopped-clock.ts'],
      'src/cli/demo.ts': ['test/bench/rounds.ts'],
    },
  },
  'service-imports-no-testing': {
    breaks: { 'src/app/bootstrap.ts': ['src/testing/movable-clock.ts'] },
    keeps: { 'src/testing.ts': ['src/testing/movable-clock.ts'] },
  },
  'production-uses-no-development-package': {
    breaks: { 'src/platform/random-input.ts': ['fast-check'] },
    keeps: { 'src/platform/mail.ts': ['type nodemailer'] },
  },
  'packages-are-declared': {
    breaks: { 'src/platform/inject.ts': ['light-my-request'] }, // it is here because Fastify wants it
  },
  'no-cycles': {
    breaks: {
      'src/kernel/clock.ts': ['src/kernel/day.ts'],
      'src/kernel/day.ts': ['src/kernel/clock.ts'],
      'src/watchlist/domain/entry.ts': ['src/watchlist/domain/move.ts'],
      'src/watchlist/domain/move.ts': ['src/watchlist/domain/entry.ts'],
      'src/watchlist/checks/seen.ts': ['type src/watchlist/checks/watched.ts'], // by their types alone
      'src/watchlist/checks/watched.ts': ['type src/watchlist/checks/seen.ts'],
    },
  },
  'examples-use-the-package': {
    breaks: {
      'examples/ledger/ledger.ts': ['examples/slack-channel/sender.ts'], // the files of another example are no package
      'examples/slack-channel/slack.ts': ['src/notifications/limits.ts'], // no such file is in the package
    },
    keeps: {
      'examples/slack-channel/sender.ts': [
        'node:crypto',
        'node:fs/promises',
        '@nestjs/common',
        'namewatch',
        'type namewatch/testing',
        'namewatch/nest',
        'namewatch/mikro-orm',
        'examples/slack-channel/slack.ts',
      ],
    },
    packages: { 'examples/slack-channel': { peerDependencies: ['@nestjs/common'] } },
  },
  'examples-name-the-package': {
    breaks: { 'examples/ledger/ledger.ts': ['src/kit.ts'] }, // the file is there in the repository only
    keeps: { 'examples/ledger/named.ts': ['namewatch'] },
  },
  'examples-declare-their-packages': {
    breaks: { 'examples/registrar-lookup/retry.ts': ['semver'] }, // it is here because Namewatch uses it
    keeps: { 'examples/registrar-lookup/registrar.ts': ['@nestjs/common', 'undici'] },
    packages: { 'examples/registrar-lookup': { peerDependencies: ['@nestjs/common'], dependencies: ['undici'] } },
  },
  'no-orphans': {
    breaks: { 'src/kernel/forgotten.ts': [] },
  },
};
