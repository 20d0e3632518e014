import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, type Type } from '@nestjs/common';
import { type Extension, defineExtension } from '../../../src/extensions/extension.js';
import { findShapeProblems } from '../../../src/extensions/extension-problems.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import { AllowAnyScope, ApiProblems, PlanSource, Public, RequiresScope, type Scope } from '../../../src/kit.js';

class Sender {}
const sound = { name: 'acme', compatibility: '*' };
const problemsOf = (declared: object) => findShapeProblems(declared as Extension);

describe('what an extension declares', () => {
  it('may be everything that the kit names', () => {
    const all = {
      ...sound,
      module: { module: Sender },
      controllers: [Sender],
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
    [{ ...sound, compatibility: 1 }, 'compatibility of the extension acme has to be a text'],
    [{ name: 'acme' }, 'the extension acme has no compatibility'],
    [{ compatibility: '*' }, 'the extension (without a name) has no name'],
    [
      { ...sound, planSources: Sender },
      'the extension acme declares planSources, which is no member of an extension; planSource is',
    ],
    [{ ...sound, webhooks: [] }, 'the extension acme declares webhooks, which is no member of an extension'],
    [{ ...sound, toString: 1 }, 'the extension acme declares toString, which is no member of an extension'],
  ])('is held to its types, %#', (declared, problem) => {
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

function findProblems(...extensions: readonly Extension[]): readonly string[] {
  try {
    Extensions.from(extensions);
    return [];
  } catch (error) {
    return (error as InvalidConfigurationError).problems;
  }
}

describe('declared names', () => {
  it('are accepted with the prefix of their extension', () => {
    const problems = { ledger_closed: CLOSED };
    expect(findProblems({ ...scopes('ledger:read', 'ledger:write'), problems })).toEqual([]);
    expect(findProblems(controllers(MarkedController))).toEqual([]);
    const hyphenated = defineExtension({ name: 'my-ledger', compatibility: '*', problems: { my_ledger_shut: CLOSED } });
    expect(findProblems(hyphenated)).toEqual([]);
  });

  it.each<[string, Extension, string]>([
    [
      'a scope of another prefix',
      scopes('other:read'),
      'the scope "other:read" of the extension ledger is not ledger:<word>',
    ],
    ['a built-in scope', scopes('admin'), 'the scope "admin" of the extension ledger is not ledger:<word>'],
    ['a scope without a word', scopes('ledger:'), 'the scope "ledger:" of the extension ledger is not ledger:<word>'],
    [
      'a scope twice',
      scopes('ledger:read', 'ledger:read'),
      'the extension ledger declares the scope ledger:read twice',
    ],
    [
      'a name that begins names of the service',
      defineExtension({ name: 'watchlist', compatibility: '*' }),
      'the extension name watchlist is reserved for the service: choose another',
    ],
    [
      'a route of the service',
      controllers(MisplacedController),
      'MisplacedController.show of the extension ledger has the route /v1/watchlist/ledger: the routes of an extension are below /v1/x/ledger',
    ],
    [
      'a route that begins with its name only',
      controllers(NeighbouringController),
      'NeighbouringController.show of the extension ledger has the route /v1/x/ledger-two: the routes of an extension are below /v1/x/ledger',
    ],
    [
      'a route twice',
      controllers(MarkedController, RepeatingController),
      'RepeatingController.byKey of the extension ledger has the route GET /v1/x/ledger/:key of MarkedController.byId',
    ],
    [
      'a class that is no controller',
      controllers(NoController),
      'NoController of the extension ledger has no @Controller()',
    ],
    [
      'a code of another prefix',
      ledger({ problems: { closed: CLOSED } }),
      'the problem code "closed" of the extension ledger is not ledger_<word>',
    ],
    [
      'a status that is no error',
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
      'a route of its module without access rules',
      ledger({ module: UnmarkedModule }),
      'UnmarkedController.show of the extension ledger says nothing about access: add @RequiresScope, @AllowAnyScope or @Public',
    ],
  ])('are refused: %s', (_, extension, sentence) => expect(findProblems(extension)).toEqual([sentence]));

  it('are refused where a route misspells its scope or problem code', () => {
    const declared = { scopes: ['ledger:read' as Scope], problems: { ledger_closed: CLOSED } };
    expect(findProblems({ ...controllers(MisspeltController), ...declared })).toEqual([
      'MisspeltController.read of the extension ledger requires the scope legder:read, which does not exist',
      'MisspeltController.read of the extension ledger names no problem code: legder_closed',
    ]);
  });

  it('are refused when two extensions have the same code or a plan source each', () => {
    const [one, other] = ['ab', 'ab-c'].map((name) =>
      defineExtension({ name, compatibility: '*', planSource: NoPlans, problems: { ab_c_shut: CLOSED } }),
    );
    expect(findProblems(one as Extension, other as Extension)).toEqual([
      'the problem code ab_c_shut of the extension ab-c is taken already',
      'there can be one plan source, and the extensions ab and ab-c have one',
    ]);
  });
});
