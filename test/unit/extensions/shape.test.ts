import { describe, expect, it } from '@jest/globals';
import type { Extension } from '../../../src/extensions/extension.js';
import { findShapeProblems } from '../../../src/extensions/extension-problems.js';

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
