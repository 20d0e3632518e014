import { describe, expect, it } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/core';
import { Controller, forwardRef, Get, Module, Post, type Type } from '@nestjs/common';
import { type Extension, type ExtensionLink, defineExtension } from '../../../src/extensions/extension.js';
import { findShapeProblems } from '../../../src/extensions/extension-problems.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { loadExtensions } from '../../../src/extensions/load-extensions.js';
import {
  AllowAnyScope,
  ApiProblems,
  DomainError,
  PlanSource,
  Public,
  RequiresScope,
  type Scope,
} from '../../../src/kit.js';

class Sender {}
const sound = { name: 'acme', compatibility: '*' };
const problemsOf = (declared: object) => findShapeProblems(declared as Extension);

describe('the declaration of an extension', () => {
  it('may use every member that the extension kit offers', () => {
    const all = {
      ...sound,
      module: { module: Sender },
      controllers: [Sender],
      links: [{ label: 'Acme', path: '/v1/x/acme', scope: 'acme:read' }],
      lookupSources: [],
      channelSenders: [Sender],
      planSource: Sender,
      authenticators: undefined,
      subscribers: [Sender],
      scopes: ['acme:read'],
      problems: {},
      entities: [Sender, {}],
      migrations: [{ name: 'First', class: Sender }],
    };
    expect(problemsOf(all)).toEqual([]);
    expect(problemsOf({ ...sound, module: Sender })).toEqual([]);
  });

  it('does not compile with a misspelt member or an undeclared problem code', () => {
    // @ts-expect-error -- the member is channelSenders
    expect(problemsOf(defineExtension({ ...sound, channelSender: [Sender] }))).toHaveLength(1);
    // @ts-expect-error -- `interface Problems` does not have it
    expect(new DomainError('acme_closed', 'It is closed.').code).toBe('acme_closed');
    expect(new DomainError('not_found', 'There is no such ledger.').code).toBe('not_found');
  });

  it.each([
    [{ ...sound, channelSenders: Sender }, 'channelSenders of the extension acme has to be an array of classes'],
    [
      { ...sound, channelSenders: [new Sender()] },
      'channelSenders of the extension acme has to be an array of classes',
    ],
    [{ ...sound, lookupSources: [() => null] }, 'lookupSources of the extension acme has to be an array of classes'],
    [{ ...sound, planSource: {} }, 'planSource of the extension acme has to be a class'],
    [{ ...sound, module: {} }, 'module of the extension acme has to be a Nest module'],
    [{ ...sound, scopes: 'acme:read' }, 'scopes of the extension acme has to be an array of texts'],
    [{ ...sound, problems: [] }, 'problems of the extension acme has to be an object'],
    [{ ...sound, entities: ['ledger'] }, 'entities of the extension acme has to be an array of entity schemas'],
    [
      { ...sound, migrations: [Sender] },
      'migrations of the extension acme has to be an array of objects with name and class',
    ],
    [
      { ...sound, links: [{ label: 'Acme', path: '/v1/x/acme', scope: 7 }] },
      'links of the extension acme has to be an array of objects with label, path and perhaps scope, which are texts',
    ],
    [
      { ...sound, links: [{ label: 'Acme' }] },
      'links of the extension acme has to be an array of objects with label, path and perhaps scope, which are texts',
    ],
    [{ ...sound, compatibility: 1 }, 'compatibility of the extension acme has to be a text'],
    [{ name: 'acme' }, 'the extension acme has no compatibility'],
    [{ compatibility: '*' }, 'the extension (without a name) has no name'],
    [
      { ...sound, planSources: Sender },
      'the extension acme declares planSources, which is no member of an extension; planSource is',
    ],
    [{ ...sound, webhooks: [] }, 'the extension acme declares webhooks, which is no member of an extension'],
    [{ ...sound, toString: 1 }, 'the extension acme declares toString, which is no member of an extension'],
  ])('is refused if a member is missing, unknown or of the wrong type: case %#', (declared, problem) => {
    expect(problemsOf(declared)).toEqual([problem]);
  });
});

class NoPlans extends PlanSource {
  load = () => Promise.resolve({});
}

@Controller('v1/x/ledger/unmarked')
class UnmarkedController {
  @Get() show(): string {
    return 'a secret';
  }
}

@Module({ controllers: [UnmarkedController] })
class UnmarkedModule {}

@Module({ imports: [forwardRef(() => OuterModule), UnmarkedModule] })
class MiddleModule {}

@Module({ imports: [{ module: MiddleModule }] })
class OuterModule {}

@Controller('v1/x/ledger')
class MarkedController {
  @Get() @Public() show(): string {
    return '';
  }
  @Get(':id') @Public() byId(): string {
    return '';
  }
  @Get('any') @AllowAnyScope() any(): string {
    return '';
  }
  @Get('read') @RequiresScope('watchlist:read') @ApiProblems('not_found') read(): string {
    return '';
  }
}

@Controller('v1/watchlist')
class MisplacedController {
  @Get('ledger') @Public() show(): string {
    return '';
  }
}

@Controller('v1/x/ledger-two')
class NeighbouringController {
  @Get() @Public() show(): string {
    return '';
  }
}

@Controller(['v1/x/ledger', 'v1/x/ledger/also'])
class RepeatingController {
  @Get(':key') @Public() byKey(): string {
    return '';
  }
}

class NoController {}

@Controller('v1/x/ledger/misspelt')
class MisspeltController {
  @Get() @RequiresScope('legder:read' as Scope) @ApiProblems('legder_closed' as 'not_found') read(): string {
    return '';
  }
}

const CLOSED = { status: 409, title: 'The ledger is closed', about: 'Open it.', retryable: false };
const ledger = (extension: Partial<Extension>): Extension =>
  defineExtension({ name: 'ledger', compatibility: '*', ...extension });
const scopes = (...names: string[]) => ledger({ scopes: names as Scope[] });
const controllers = (...types: Type[]) => ledger({ controllers: types });

function findProblems(...extensions: readonly Extension[]): Promise<readonly string[]> {
  return loadExtensions({ extensions: [], environment: {} }, extensions).then(
    () => [],
    (error: InvalidConfigurationError) => error.problems,
  );
}

class Visit {}

function mapped(tableName?: string, schema?: string): EntitySchema<Visit> {
  return new EntitySchema<Visit>({ class: Visit, ...(tableName ? { tableName } : {}), ...(schema ? { schema } : {}) });
}

describe('the declared names and routes of an extension', () => {
  it('are accepted if they begin with the name of the extension', async () => {
    const problems = { ledger_closed: CLOSED };
    expect(await findProblems({ ...scopes('ledger:read', 'ledger:write'), problems })).toEqual([]);
    expect(await findProblems(controllers(MarkedController))).toEqual([]);
    const hyphenated = defineExtension({ name: 'my-ledger', compatibility: '*', problems: { my_ledger_shut: CLOSED } });
    expect(await findProblems(hyphenated)).toEqual([]);
  });

  it.each<[string, Extension, string]>([
    [
      'a scope with another prefix',
      scopes('other:read'),
      'the scope "other:read" of the extension ledger is not ledger:<word>',
    ],
    ['a built-in scope', scopes('admin'), 'the scope "admin" of the extension ledger is not ledger:<word>'],
    ['a scope without a word', scopes('ledger:'), 'the scope "ledger:" of the extension ledger is not ledger:<word>'],
    [
      'the same scope twice',
      scopes('ledger:read', 'ledger:read'),
      'the extension ledger declares the scope ledger:read twice',
    ],
    [
      'a name that begins with a word of the service',
      defineExtension({ name: 'watchlist', compatibility: '*' }),
      "the extension name watchlist begins with a word of the service: choose another, such as your company's",
    ],
    [
      'a route of the service',
      controllers(MisplacedController),
      'MisplacedController.show of the extension ledger has the route /v1/watchlist/ledger: the routes of an extension are below /v1/x/ledger',
    ],
    [
      'a route that only begins with the extension’s name',
      controllers(NeighbouringController),
      'NeighbouringController.show of the extension ledger has the route /v1/x/ledger-two: the routes of an extension are below /v1/x/ledger',
    ],
    [
      'the same route twice',
      controllers(MarkedController, RepeatingController),
      'RepeatingController.byKey of the extension ledger has the route GET /v1/x/ledger/:key of MarkedController.byId',
    ],
    [
      'a class that is not a controller',
      controllers(NoController),
      'NoController of the extension ledger has no @Controller()',
    ],
    [
      'a problem code with another prefix',
      ledger({ problems: { closed: CLOSED } }),
      'the problem code "closed" of the extension ledger is not ledger_<word>',
    ],
    [
      'a problem with status 200',
      ledger({ problems: { ledger_closed: { ...CLOSED, status: 200 } } }),
      'the problem ledger_closed of the extension ledger needs a status from 400 to 599',
    ],
    [
      'a problem without a title',
      ledger({ problems: { ledger_closed: { ...CLOSED, title: '' } } }),
      'the problem ledger_closed of the extension ledger needs a title and about',
    ],
    [
      'a route without access rules',
      controllers(UnmarkedController),
      'UnmarkedController.show of the extension ledger says nothing about access: add @RequiresScope, @AllowAnyScope or @Public',
    ],
    [
      'a route of the extension’s module without access rules',
      ledger({ module: UnmarkedModule }),
      'UnmarkedController.show of the extension ledger says nothing about access: add @RequiresScope, @AllowAnyScope or @Public',
    ],
    [
      'a route of an imported module without access rules',
      ledger({ module: OuterModule }),
      'UnmarkedController.show of the extension ledger says nothing about access: add @RequiresScope, @AllowAnyScope or @Public',
    ],
  ])('are refused: %s', async (_, extension, sentence) => expect(await findProblems(extension)).toEqual([sentence]));

  it.each([
    ['a table of the service', mapped('watch_entries'), 'watch_entries'],
    ['a table of the queue', mapped('job', 'bullmq'), 'job'],
    ['a table named after the class', mapped(), 'visit'],
  ])('are refused if an entity maps a table with a wrong name: %s', async (_, entity, table) => {
    expect(await findProblems(ledger({ entities: [entity] }))).toEqual([
      `the entity Visit of the extension ledger maps the table ${table}: its tables are named ledger_… or are in a schema of its own`,
    ]);
  });

  it('are accepted if a table has the prefix or is in another schema', async () => {
    expect(await findProblems(ledger({ entities: [mapped('ledger_visits'), mapped('visits', 'elsewhere')] }))).toEqual(
      [],
    );
  });

  it('are refused if a route misspells its scope or problem code', async () => {
    const declared = { scopes: ['ledger:read' as Scope], problems: { ledger_closed: CLOSED } };
    expect(await findProblems({ ...controllers(MisspeltController), ...declared })).toEqual([
      'MisspeltController.read of the extension ledger requires the scope legder:read, which does not exist',
      'MisspeltController.read of the extension ledger names no problem code: legder_closed',
    ]);
  });

  it('are refused if two extensions share a problem code or both have a plan source', async () => {
    const [one, other] = ['ab', 'ab-c'].map((name) =>
      defineExtension({ name, compatibility: '*', planSource: NoPlans, problems: { ab_c_shut: CLOSED } }),
    );
    expect(await findProblems(one as Extension, other as Extension)).toEqual([
      'the problem code ab_c_shut of the extension ab-c is taken already',
      'there can be one plan source, and the extensions ab and ab-c have one',
    ]);
  });
});

@Controller('v1/x/ledger')
class LinkedController {
  @Get() @RequiresScope('ledger:read') list(): string {
    return '';
  }
  @Get('help') @Public() help(): string {
    return '';
  }
  @Get('any') @AllowAnyScope() any(): string {
    return '';
  }
  @Post('closing') @Public() close(): string {
    return '';
  }
  @Get(':id') @Public() byId(): string {
    return '';
  }
}

describe('a link of an extension', () => {
  const linking = (...links: readonly object[]) =>
    findProblems({
      ...ledger({ controllers: [LinkedController], links: links as readonly ExtensionLink[] }),
      scopes: ['ledger:read'],
    });
  const ELSEWHERE = (path: string) =>
    `the link "Ledger" of the extension ledger leads to ${JSON.stringify(path)}, and not to /v1/x/ledger or a plain path below it`;
  const LABEL = (label: string) =>
    `a link of the extension ledger has the label ${JSON.stringify(label)}, which is not one line of 1 to 60 characters`;

  it('is accepted with a GET route of the extension and the scope of that route', async () => {
    const label = `Grundbuch “2027” – 📒 ${'x'.repeat(38)}`; // 60 characters, one of which is two units
    expect(
      await linking(
        { label, path: '/v1/x/ledger', scope: 'ledger:read' },
        { label: 'Help', path: '/v1/x/ledger/help' },
        { label: 'Any', path: '/v1/x/ledger/any' },
      ),
    ).toEqual([]);
  });

  it.each([
    'https://evil.example/v1/x/ledger',
    '//evil.example/v1/x/ledger',
    '@evil.example/v1/x/ledger',
    'javascript:alert(1)',
    'v1/x/ledger',
    '/v1/x/ledger/../../watchlist',
    '/v1/x/ledger/%2e%2e/keys',
    '/v1/x/ledger/..',
    '/v1/x/ledger//help',
    '/v1/x/ledger/',
    '/v1/x/ledger\\help',
    '/v1/x/ledger/help?all=1',
    '/v1/x/ledger/help#top',
    '/v1/x/ledger/help\n',
    '/v1/x/ledger-two',
    '/v1/x/other/help',
    '/v1/watchlist',
    '',
  ])('is refused if its path is outside the extension or not plain: %j', async (path) => {
    expect(await linking({ label: 'Ledger', path })).toEqual([ELSEWHERE(path)]);
  });

  it.each(['', ' ', ' Ledger', 'Ledger\n', 'Led\u0000ger', 'Led\u2028ger', 'Led\ud800ger', 'x'.repeat(61)])(
    'is refused if its label is not one line of 1 to 60 characters: %j',
    async (label) => expect(await linking({ label, path: '/v1/x/ledger/help' })).toEqual([LABEL(label)]),
  );

  it.each<[string, string, string | undefined, string]>([
    ['no route', '/v1/x/ledger/none', undefined, 'leads to /v1/x/ledger/none, which is no GET route of it'],
    [
      'a route of another method',
      '/v1/x/ledger/closing',
      undefined,
      'leads to /v1/x/ledger/closing, which is no GET route of it',
    ],
    ['without the scope', '/v1/x/ledger', undefined, 'has no scope, and LinkedController.list requires ledger:read'],
    ['another scope', '/v1/x/ledger', 'admin', 'has the scope admin, and LinkedController.list requires ledger:read'],
    [
      'a scope that does not exist',
      '/v1/x/ledger',
      'legder:read',
      'has the scope legder:read, and LinkedController.list requires ledger:read',
    ],
    [
      'a scope where none is needed',
      '/v1/x/ledger/help',
      'ledger:read',
      'has the scope ledger:read, and LinkedController.help requires none',
    ],
  ])('is refused if its route or scope is wrong: %s', async (_, path, scope, problem) => {
    const link = scope === undefined ? { label: 'Ledger', path } : { label: 'Ledger', path, scope };
    expect(await linking(link)).toEqual([`the link "Ledger" of the extension ledger ${problem}`]);
  });

  it('is refused if another link has the same path, or if there are over 20', async () => {
    const help = { label: 'Ledger', path: '/v1/x/ledger/help' };
    expect(await linking(help, help)).toEqual([
      'the link "Ledger" of the extension ledger leads to /v1/x/ledger/help, as another one does',
    ]);
    expect(await linking(...Array.from({ length: 21 }, () => help))).toEqual([
      'the extension ledger has 21 links; 20 are shown',
    ]);
  });
});
